internal import AnechoicAPI
internal import Foundation

/// The claims that a server expects of tokens.
public struct TokenPolicy: Sendable, Equatable {
  /// The range of `clockSkew`.
  public static let clockSkewRange = Duration.zero ... .seconds(600)

  /// The value of the claim `iss`.
  public var issuer: String
  /// A value of the claim `aud`.
  public var audience: String
  /// The time by which the clocks of the issuer and of the server may differ. Default 30 s.
  public var clockSkew = Duration.seconds(30)
  /// Whether a call ends when its token expires. By default it continues: the token is checked when
  /// the call starts.
  public var endsExpiredCalls = false

  public init(issuer: String, audience: String) {
    self.issuer = issuer
    self.audience = audience
  }

  /// Returns what a token with these claims grants. Throws if it grants nothing now.
  func grant(_ claims: TokenClaims, at now: Date) throws(AuthenticationError) -> TokenGrant {
    guard claims.issuer == issuer else {
      throw .invalid("the issuer of the token (iss) is not the one that this server trusts")
    }
    guard claims.audiences.contains(audience) else {
      throw .invalid("the token is not meant for this server (aud)")
    }
    guard let expiry = claims.expiry else { throw .invalid("the token has no expiry (exp)") }
    guard let subject = claims.subject, ClientNameRule.allows(subject) else {
      throw .invalid("the subject of the token (sub) \(ClientNameRule.text)")
    }
    let grant = TokenGrant(
      name: subject, scopes: Set(claims.scopes.compactMap(Scope.init)),
      notBefore: claims.notBefore, expiry: expiry)
    try grant.check(at: now, clockSkew: clockSkew)
    return grant
  }
}

/// The rights that a verified token grants, for the time of its validity.
struct TokenGrant: Sendable, Equatable {
  let name: String
  let scopes: Set<Scope>
  /// Seconds since 1970.
  let notBefore: Double?
  /// Seconds since 1970.
  let expiry: Double

  /// Throws if the token is not valid at this time.
  func check(at now: Date, clockSkew: Duration) throws(AuthenticationError) {
    let now = now.timeIntervalSince1970
    let skew = clockSkew / .seconds(1)
    guard now < expiry + skew else { throw .invalid("the token has expired (exp)") }
    if let notBefore, now < notBefore - skew {
      throw .invalid("the token is not valid yet (nbf)")
    }
  }

  /// Returns the time from now to the end of the validity, at most 365 days.
  func lifetime(from now: Date, clockSkew: Duration) -> Duration {
    let seconds = expiry - now.timeIntervalSince1970
    return .seconds(max(0, min(seconds, 365 * 86_400))) + clockSkew
  }
}
