internal import Foundation

/// The claims of a token that this server reads. A claim of the wrong type makes the token invalid.
struct TokenClaims: Decodable {
  let issuer: String?
  let subject: String?
  let audiences: [String]
  /// Seconds since 1970.
  let expiry: Double?
  /// Seconds since 1970.
  let notBefore: Double?
  /// The scopes of the claims `scope`, separated by spaces, and `scopes`, a list.
  let scopes: [String]

  private enum Name: String, CodingKey { case iss, sub, aud, exp, nbf, scope, scopes }

  init(from decoder: any Decoder) throws {
    let claims = try decoder.container(keyedBy: Name.self)
    issuer = try claims.decodeIfPresent(String.self, forKey: .iss)
    subject = try claims.decodeIfPresent(String.self, forKey: .sub)
    if let one = try? claims.decodeIfPresent(String.self, forKey: .aud) {
      audiences = [one]
    } else {
      audiences = try claims.decodeIfPresent([String].self, forKey: .aud) ?? []
    }
    expiry = try claims.decodeIfPresent(Double.self, forKey: .exp)
    notBefore = try claims.decodeIfPresent(Double.self, forKey: .nbf)
    let line = try claims.decodeIfPresent(String.self, forKey: .scope) ?? ""
    let list = try claims.decodeIfPresent([String].self, forKey: .scopes) ?? []
    scopes = line.split(separator: " ").map(String.init) + list
  }

  /// Returns nil if the payload is not a JSON object with claims of the right types.
  init?(_ payload: Data) {
    guard let claims = try? JSONDecoder().decode(Self.self, from: payload) else { return nil }
    self = claims
  }
}
