/// The grants of tokens that have been verified, so that a signature is verified once and not for
/// each call.
struct TokenCache {
  /// The maximum number of tokens. With one more, half of the tokens leave.
  static let most = 512

  private var grants: [BearerToken: TokenGrant] = [:]
  /// The version of the keys that verified the tokens.
  private var version = 0

  var count: Int { grants.count }

  /// Returns the grant of a token, if keys of this version have verified the token.
  func grant(_ token: BearerToken, version: Int) -> TokenGrant? {
    version == self.version ? grants[token] : nil
  }

  /// Keeps the grant of a token that keys of this version have verified.
  mutating func keep(_ grant: TokenGrant, of token: BearerToken, version: Int) {
    if version > self.version {
      grants = [:]
      self.version = version
    }
    guard version == self.version else { return }
    if grants.count >= Self.most {
      for old in Array(grants.keys.prefix(Self.most / 2)) { grants[old] = nil }
    }
    grants[token] = grant
  }
}
