internal import Foundation
internal import JWTKit

/// The public keys that verify tokens.
struct TokenKeys: Sendable {
  /// The maximum number of keys in a file. A token without a key's name is tried with all of them.
  static let most = 16

  private struct Key: Sendable {
    /// Nil for a key from a PEM file.
    let id: String?
    let algorithm: TokenAlgorithm
    let verifier: any JWTAlgorithm
  }

  private let keys: [Key]

  /// The number of keys.
  var count: Int { keys.count }

  /// Reads keys from a JSON Web Key Set, or from PEM with public keys and certificates.
  init(_ bytes: [UInt8]) async throws(TokenKeyError) {
    let text = String(decoding: bytes, as: UTF8.self)
    let keys = try await text.contains("-----BEGIN") ? Self.keys(pem: text) : Self.keys(jwks: bytes)
    guard !keys.isEmpty else { throw .noKey }
    guard keys.count <= Self.most else { throw .tooMany(keys.count) }
    self.keys = keys
  }

  /// Throws unless one of the keys has signed the token.
  func verify(_ token: SignedToken) throws(AuthenticationFailure) {
    let candidates = keys.filter { key in
      key.algorithm == token.algorithm
        && (token.keyID == nil || key.id == nil || key.id == token.keyID)
    }
    guard !candidates.isEmpty else {
      throw .invalid("no key of this server has the name and the algorithm of the token's key")
    }
    let isSigned = candidates.contains { key in
      (try? key.verifier.verify(token.signature, signs: token.signedBytes)) == true
    }
    guard isSigned else { throw .invalid("the signature of the token is not valid") }
  }

  // MARK: JSON Web Key Sets

  /// A key of a set. Keys for other purposes, or of unknown kinds, are left out.
  private struct Entry: Decodable {
    struct Use: Decodable {
      let use: String?
    }

    let key: JWK?

    init(from decoder: any Decoder) throws {
      let use = try? Use(from: decoder).use
      key = use == nil || use == "sig" ? try? JWK(from: decoder) : nil
    }
  }

  private struct KeySet: Decodable {
    let keys: [Entry]
  }

  private static func keys(jwks: [UInt8]) async throws(TokenKeyError) -> [Key] {
    guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(jwks)) else {
      throw .unreadable
    }
    var keys: [Key] = []
    for jwk in set.keys.compactMap(\.key) {
      guard jwk.privateExponent == nil else { throw .privateKey }
      guard let algorithm = algorithm(of: jwk) else { continue }
      let id = jwk.keyIdentifier?.string
      if keys.contains(where: { $0.id == id && $0.algorithm == algorithm }) {
        throw .duplicate(id ?? "")
      }
      keys.append(Key(id: id, algorithm: algorithm, verifier: try await verifier(jwk, algorithm)))
      guard keys.count <= most else { throw .tooMany(set.keys.count) }
    }
    return keys
  }

  /// Returns the algorithm of a key, or nil if this server does not use it.
  private static func algorithm(of jwk: JWK) -> TokenAlgorithm? {
    let algorithm: TokenAlgorithm
    switch jwk.keyType {
    case .rsa: algorithm = .rs256
    case .ecdsa where jwk.curve == .ecdsa(.p256): algorithm = .es256
    default: return nil
    }
    return jwk.algorithm == nil || jwk.algorithm?.rawValue == algorithm.rawValue ? algorithm : nil
  }

  private static func verifier(
    _ jwk: JWK, _ algorithm: TokenAlgorithm
  ) async throws(TokenKeyError) -> any JWTAlgorithm {
    var named = jwk
    let id = JWKIdentifier(string: "key")
    named.keyIdentifier = id
    do {
      return try await JWTKeyCollection().add(jwk: named).getKey(for: id, alg: algorithm.rawValue)
    } catch {
      throw .unusable
    }
  }

  // MARK: PEM

  private static func keys(pem: String) async throws(TokenKeyError) -> [Key] {
    guard !pem.contains("PRIVATE KEY-----") else { throw .privateKey }
    var keys: [Key] = []
    for part in pem.split(separator: "-----BEGIN ").dropFirst(pem.hasPrefix("-----BEGIN") ? 0 : 1) {
      keys.append(try await key(pem: "-----BEGIN \(part)"))
      guard keys.count <= most else { throw .tooMany(keys.count) }
    }
    return keys
  }

  private static func key(pem: String) async throws(TokenKeyError) -> Key {
    let isCertificate = pem.hasPrefix("-----BEGIN CERTIFICATE-----")
    let keys = JWTKeyCollection()
    let algorithm: TokenAlgorithm
    if let key = try? isCertificate
      ? ES256PublicKey(certificate: pem) : ES256PublicKey(pem: pem)
    {
      await keys.add(ecdsa: key)
      algorithm = .es256
    } else if let key = try? isCertificate
      ? Insecure.RSA.PublicKey(certificatePEM: pem) : Insecure.RSA.PublicKey(pem: pem)
    {
      await keys.add(rsa: key, digestAlgorithm: .sha256)
      algorithm = .rs256
    } else {
      throw .unusable
    }
    do {
      return Key(
        id: nil, algorithm: algorithm, verifier: try await keys.getKey(alg: algorithm.rawValue))
    } catch {
      throw .unusable
    }
  }
}

/// The reason why a file with keys cannot be used.
public enum TokenKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  case file(String)
  case unreadable
  case unusable
  case noKey
  case tooMany(Int)
  case privateKey
  case duplicate(String)

  public var description: String {
    switch self {
    case .file(let problem): problem
    case .unreadable: "this is neither PEM nor a JSON Web Key Set ({\"keys\": [...]})"
    case .unusable:
      "a key cannot be used; use RSA keys of 2048 bits or more, or EC keys of the curve P-256"
    case .noKey: "there is no key for RS256 or ES256"
    case .tooMany(let count): "there are \(count) keys; at most \(TokenKeys.most) are allowed"
    case .privateKey: "there is a private key; give the server the public key only"
    case .duplicate(let id): "two keys for the same algorithm have the kid \"\(id)\""
    }
  }
}
