internal import COpenSSL
internal import Foundation

/// A public key of an issuer of tokens. Uses OpenSSL. May be used on any thread.
///
/// RS256 is RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3), ES256 is ECDSA with the curve
/// P-256 and SHA-256 (section 3.4).
final class VerifyingKey: @unchecked Sendable {
  let algorithm: TokenAlgorithm
  /// OpenSSL counts its references atomically, and verifies without changing it.
  private let key: OpaquePointer

  /// Takes over a key of OpenSSL. Throws if no algorithm of tokens uses such a key.
  private init(_ key: OpaquePointer?) throws(TokenKeyError) {
    defer { ERR_clear_error() }
    guard let key else { throw .unusable }
    guard let algorithm = TokenAlgorithm(key), Self.isValid(key) else {
      EVP_PKEY_free(key)
      throw .unusable
    }
    self.key = key
    self.algorithm = algorithm
  }

  deinit { EVP_PKEY_free(key) }

  /// Reads one public key, or the public key of one certificate.
  convenience init(pem: String) throws(TokenKeyError) {
    let bytes = Array(pem.utf8)
    guard let file = BIO_new_mem_buf(bytes, Int32(bytes.count)) else { throw .unusable }
    defer { BIO_free(file) }
    guard pem.hasPrefix("-----BEGIN CERTIFICATE-----") else {
      try self.init(PEM_read_bio_PUBKEY(file, nil, noPassword, nil))
      return
    }
    guard let certificate = PEM_read_bio_X509(file, nil, noPassword, nil) else { throw .unusable }
    defer { X509_free(certificate) }
    try self.init(X509_get_pubkey(certificate))
  }

  /// Makes an RSA key of its modulus and its exponent, which are unsigned and big-endian.
  convenience init(modulus: Data, exponent: Data) throws(TokenKeyError) {
    let modulus = BigNumber(modulus)
    let exponent = BigNumber(exponent)
    try self.init(
      withExtendedLifetime((modulus, exponent)) {
        anechoic_rsa_public_key(modulus.pointer, exponent.pointer)
      })
  }

  /// Makes a key of a point of the curve P-256. Each coordinate has 32 bytes and is big-endian.
  convenience init(x: Data, y: Data) throws(TokenKeyError) {
    guard x.count == TokenAlgorithm.coordinateSize, y.count == x.count else { throw .unusable }
    let uncompressed = [4] + x + y
    try self.init(anechoic_p256_public_key(uncompressed, uncompressed.count))
  }

  /// Whether this key has signed the bytes.
  func isSignature(_ signature: Data, of bytes: Data) -> Bool {
    defer { ERR_clear_error() }
    guard let encoded = algorithm.encodedForOpenSSL(signature), let context = EVP_MD_CTX_new()
    else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, encoded, encoded.count, Array(bytes), bytes.count) == 1
  }

  /// Whether the numbers of a key are ones that its algorithm allows.
  private static func isValid(_ key: OpaquePointer) -> Bool {
    let context = EVP_PKEY_CTX_new(key, nil)
    defer { EVP_PKEY_CTX_free(context) }
    return EVP_PKEY_public_check(context) == 1
  }
}

extension TokenAlgorithm {
  /// The number of bytes of a coordinate of the curve P-256, and of each half of a signature.
  fileprivate static let coordinateSize = 32
  /// The sizes of RSA keys in bits. OpenSSL verifies with no larger ones.
  private static let rsaSizes: ClosedRange<Int32> = 2048...16384

  /// Nil if no algorithm uses the key of OpenSSL.
  fileprivate init?(_ key: OpaquePointer) {
    if EVP_PKEY_is_a(key, "RSA") == 1, Self.rsaSizes.contains(EVP_PKEY_get_bits(key)) {
      self = .rs256
    } else if EVP_PKEY_is_a(key, "EC") == 1, Self.hasCurveP256(key) {
      self = .es256
    } else {
      return nil
    }
  }

  private static func hasCurveP256(_ key: OpaquePointer) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
    let names = name.prefix(length).map { UInt8(bitPattern: $0) }
    return ["prime256v1", "P-256"].contains(String(decoding: names, as: UTF8.self))
  }

  /// Returns the signature of a token in the form that OpenSSL verifies, or nil if its size is
  /// wrong. OpenSSL wants the halves of an ECDSA signature in DER.
  fileprivate func encodedForOpenSSL(_ signature: Data) -> [UInt8]? {
    guard self == .es256 else { return Array(signature) }
    guard signature.count == 2 * Self.coordinateSize else { return nil }
    let halves = [
      BigNumber(signature.prefix(Self.coordinateSize)),
      BigNumber(signature.suffix(Self.coordinateSize)),
    ]
    let pair = ECDSA_SIG_new()
    defer { ECDSA_SIG_free(pair) }
    let isSet = withExtendedLifetime(halves) {
      ECDSA_SIG_set0(pair, BN_dup(halves[0].pointer), BN_dup(halves[1].pointer)) == 1
    }
    guard isSet else { return nil }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(pair, &bytes)
    guard count > 0, let bytes else { return nil }
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

/// Refuses to give the password of an encrypted file. Without this callback, OpenSSL would ask for the
/// password at the terminal.
private func noPassword(
  _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }

/// A number of OpenSSL of any size.
private final class BigNumber {
  let pointer: OpaquePointer?

  /// Reads an unsigned big-endian number.
  init(_ bytes: Data) {
    pointer = BN_bin2bn(Array(bytes), Int32(bytes.count), nil)
  }

  deinit { BN_free(pointer) }
}
