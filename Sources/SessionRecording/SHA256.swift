internal import COpenSSL

/// The SHA-256 digest of bytes that are added in pieces. Uses OpenSSL.
struct SHA256: ~Copyable {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
    self.context = context
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all bytes so far, 32 bytes. More bytes may follow.
  var value: [UInt8] {
    guard let copy = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
    defer { EVP_MD_CTX_free(copy) }
    EVP_MD_CTX_copy_ex(copy, context)
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(copy, &digest, nil)
    return digest
  }
}
