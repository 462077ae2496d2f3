internal import COpenSSL
internal import Foundation

/// A private key of an issuer of tokens. Uses OpenSSL.
final class SigningKey: @unchecked Sendable {
  struct KeyError: Error {}

  private let key: OpaquePointer
  private var isCurve: Bool { EVP_PKEY_is_a(key, "EC") == 1 }

  /// Reads a key from PEM.
  init(pem: [UInt8]) throws {
    let file = BIO_new_mem_buf(pem, Int32(pem.count))
    defer { BIO_free(file) }
    guard let key = PEM_read_bio_PrivateKey(file, nil, nil, nil) else { throw KeyError() }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// The coordinates of the public key of the curve P-256, 32 bytes each.
  func coordinates() throws -> (x: Data, y: Data) {
    var point = [UInt8](repeating: 0, count: 65)
    var count = 0
    guard
      EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count)
        == 1, count == point.count
    else { throw KeyError() }
    return (Data(point[1...32]), Data(point[33...64]))
  }

  /// The modulus of an RSA key.
  func modulus() throws -> Data {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &number) == 1 else { throw KeyError() }
    defer { BN_free(number) }
    return try Self.bytes(number, count: Int(EVP_PKEY_get_size(key)))
  }

  /// Returns the signature of bytes for RS256 or ES256.
  func signature(of bytes: Data) throws -> Data {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
    var count = signature.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      EVP_DigestSign(context, &signature, &count, Array(bytes), bytes.count) == 1
    else { throw KeyError() }
    return isCurve ? try Self.halves(signature, count: count) : Data(signature.prefix(count))
  }

  /// Returns both numbers of an ECDSA signature in DER, 32 bytes each, as tokens carry them.
  private static func halves(_ der: [UInt8], count: Int) throws -> Data {
    try der.withUnsafeBufferPointer { der in
      var start = der.baseAddress
      guard let pair = d2i_ECDSA_SIG(nil, &start, count) else { throw KeyError() }
      defer { ECDSA_SIG_free(pair) }
      return try bytes(ECDSA_SIG_get0_r(pair), count: 32)
        + bytes(ECDSA_SIG_get0_s(pair), count: 32)
    }
  }

  /// Returns a number as big-endian bytes.
  private static func bytes(_ number: OpaquePointer?, count: Int) throws -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    guard BN_bn2binpad(number, &bytes, Int32(count)) == count else { throw KeyError() }
    return Data(bytes)
  }
}
