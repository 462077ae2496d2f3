internal import COpenSSL

/// The SHA-256 digest of bytes that are added in pieces. Uses OpenSSL.
package struct SHA256: ~Copyable {
  /// The size of a digest in bytes.
  package static let size = 32

  private let context: OpaquePointer

  package init() {
    context = Self.makeContext()
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  private static func makeContext() -> OpaquePointer {
    guard let context = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
    return context
  }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all bytes so far. More bytes may follow.
  package var value: [UInt8] {
    let copy = Self.makeContext()
    defer { EVP_MD_CTX_free(copy) }
    EVP_MD_CTX_copy_ex(copy, context)
    var digest = [UInt8](repeating: 0, count: Self.size)
    EVP_DigestFinal_ex(copy, &digest, nil)
    return digest
  }

  /// Returns the digest of bytes.
  package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let digest = SHA256()
    digest.update(bytes)
    return digest.value
  }

  /// Returns the digest of bytes.
  package static func digest(of bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { digest(of: $0) }
  }

  /// Returns bytes, such as those of a digest, as hexadecimal digits.
  package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

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
