internal import COpenSSL

/// The SHA-1 digest that the handshake of WebSocket asks for. It protects nothing. Uses OpenSSL.
package enum SHA1 {
  /// The size of a digest in bytes.
  package static let size = 20

  /// Returns the digest of bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
    return digest
  }
}
