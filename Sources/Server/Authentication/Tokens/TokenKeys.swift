internal import Foundation

/// The public keys that verify tokens.
struct TokenKeys: Sendable {
  /// The maximum number of keys in a file. A token without a key's name is tried with all of them.
  static let most = 16

  private struct Key: Sendable {
    /// Nil for a key from a PEM file.
    let id: String?
    let verifier: VerifyingKey
  }

  private let keys: [Key]
  /// The names of the keys of a set that were left out because they cannot be used. Empty for a key
  /// without a name.
  let unusable: [String]

  /// The number of keys.
  var count: Int { keys.count }

  /// Reads keys from a JSON Web Key Set, or from PEM with public keys and certificates.
  init(_ bytes: [UInt8]) throws(TokenKeyError) {
    let text = String(decoding: bytes, as: UTF8.self)
    let (keys, unusable) =
      try text.contains("-----BEGIN") ? (Self.keys(pem: text), []) : Self.keys(jwks: bytes)
    guard !keys.isEmpty else { throw unusable.isEmpty ? .noKey : .unusable }
    guard keys.count <= Self.most else { throw .tooMany(keys.count) }
    self.keys = keys
    self.unusable = unusable
  }

  /// Returns whether one of the keys may have signed the token, by its name and its algorithm.
  func mayVerify(_ token: SignedToken) -> Bool { !candidates(for: token).isEmpty }

  private func candidates(for token: SignedToken) -> [Key] {
    keys.filter { key in
      key.verifier.algorithm == token.algorithm
        && (token.keyID == nil || key.id == nil || key.id == token.keyID)
    }
  }

  /// Throws unless one of the keys has signed the token.
  func verify(_ token: SignedToken) throws(AuthenticationError) {
    let candidates = candidates(for: token)
    guard !candidates.isEmpty else {
      throw .invalid("no key of this server has the name and the algorithm of the token's key")
    }
    let isSigned = candidates.contains {
      $0.verifier.isSignature(token.signature, of: token.signedBytes)
    }
    guard isSigned else { throw .invalid("the signature of the token is not valid") }
  }

  // MARK: JSON Web Key Sets

  /// A key of a set (RFC 7517), with the fields that this server reads.
  private struct Entry: Decodable {
    let kty: String
    let crv: String?
    let alg: String?
    let use: String?
    let kid: String?
    let n: String?
    let e: String?
    let x: String?
    let y: String?
    let d: String?

    /// The algorithm that the key is for, or nil if this server does not use it.
    var algorithm: TokenAlgorithm? {
      let algorithm: TokenAlgorithm
      switch (kty, crv) {
      case ("RSA", _): algorithm = .rs256
      case ("EC", "P-256"): algorithm = .es256
      default: return nil
      }
      return alg == nil || alg == algorithm.rawValue ? algorithm : nil
    }

    func verifier(_ algorithm: TokenAlgorithm) throws(TokenKeyError) -> VerifyingKey {
      switch algorithm {
      case .rs256: try VerifyingKey(modulus: Self.bytes(n), exponent: Self.bytes(e))
      case .es256: try VerifyingKey(x: Self.bytes(x), y: Self.bytes(y))
      }
    }

    private static func bytes(_ text: String?) throws(TokenKeyError) -> Data {
      guard let text, let bytes = Data(base64URL: text[...]) else { throw .unusable }
      return bytes
    }
  }

  /// An entry of the set. Entries for other purposes, or of unknown forms, are left out.
  private struct PossibleEntry: Decodable {
    let entry: Entry?

    init(from decoder: any Decoder) throws {
      let entry = try? Entry(from: decoder)
      self.entry = entry?.use == nil || entry?.use == "sig" ? entry : nil
    }
  }

  private struct KeySet: Decodable {
    let keys: [PossibleEntry]
  }

  /// Returns the keys of a set, and the names of those that cannot be used (RFC 7517, section 5).
  private static func keys(jwks: [UInt8]) throws(TokenKeyError) -> ([Key], [String]) {
    guard let set = try? JSONDecoder().decode(KeySet.self, from: Data(jwks)) else {
      throw .unreadable
    }
    var keys: [Key] = []
    var unusable: [String] = []
    var names: Set<String> = []
    for entry in set.keys.compactMap(\.entry) {
      guard entry.d == nil else { throw .privateKey }
      guard let algorithm = entry.algorithm else { continue }
      guard names.insert("\(algorithm) \(entry.kid ?? "")").inserted else {
        throw .duplicate(entry.kid ?? "")
      }
      do throws(TokenKeyError) {
        keys.append(Key(id: entry.kid, verifier: try entry.verifier(algorithm)))
      } catch {
        unusable.append(entry.kid ?? "")
      }
      guard keys.count <= most else { throw .tooMany(set.keys.count) }
    }
    return (keys, unusable)
  }

  // MARK: PEM

  private static func keys(pem: String) throws(TokenKeyError) -> [Key] {
    guard !pem.contains("PRIVATE KEY-----") else { throw .privateKey }
    var keys: [Key] = []
    for part in pem.split(separator: "-----BEGIN ").dropFirst(pem.hasPrefix("-----BEGIN") ? 0 : 1) {
      keys.append(Key(id: nil, verifier: try VerifyingKey(pem: "-----BEGIN \(part)")))
      guard keys.count <= most else { throw .tooMany(keys.count) }
    }
    return keys
  }
}

/// The reason why keys cannot be used.
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
