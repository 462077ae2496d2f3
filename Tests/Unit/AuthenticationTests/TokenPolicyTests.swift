import Foundation
import TestCredentials
import Testing

@testable import Authentication

/// The claims of tokens.
struct TokenPolicyTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let good = [
    "iss": #""https://issuer""#, "aud": #""voice""#, "sub": #""olga""#, "exp": "1800000060",
    "scope": #""media read""#,
  ]

  /// Returns the grant of a good token with these claims changed. A claim of "" is left out.
  private func grant(
    _ changes: [String: String] = [:], skew: Duration = .seconds(30), at time: Date = Self.now
  ) throws(AuthenticationError) -> TokenGrant {
    let claims = Self.good.merging(changes) { $1 }.filter { !$0.value.isEmpty }
    let json = "{\(claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    guard let claims = TokenClaims(Data(json.utf8)) else { throw .invalid("unreadable") }
    var policy = TokenPolicy(issuer: "https://issuer", audience: "voice")
    policy.clockSkew = skew
    return try policy.grant(claims, at: time)
  }

  private func failure(
    _ changes: [String: String], skew: Duration = .seconds(30), at time: Date = Self.now
  ) -> String? {
    do throws(AuthenticationError) {
      _ = try grant(changes, skew: skew, at: time)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func theSubjectIsTheName() throws {
    let grant = try grant()
    #expect(grant.name == "olga" && grant.scopes == [.media, .read])
  }

  @Test(arguments: [
    (#""media control""#, "", [Scope.media, .control]),
    ("", #"["inject","admin"]"#, [.inject, .admin]),
    (#""media""#, #"["read","openid","media"]"#, [.media, .read]),
    (#""  media   ""#, "", [.media]), (#""""#, "[]", []), ("", "", []),
    (#""Media MEDIA media,read""#, "", []),
  ])
  func scopesComeFromEitherClaim(scope: String, scopes: String, granted: [Scope]) throws {
    #expect(try grant(["scope": scope, "scopes": scopes]).scopes == Set(granted))
  }

  @Test(arguments: [
    ["scope": "7"], ["scope": #"["media"]"#], ["scopes": #""media""#], ["scopes": #"["media",7]"#],
    ["scope": "true"], ["sub": "7"], ["exp": #""1800000060""#], ["nbf": #""x""#], ["iss": "[]"],
    ["aud": "7"], ["aud": "[7]"], ["exp": "1e999"],
  ])
  func aClaimOfTheWrongTypeMakesTheTokenInvalid(changes: [String: String]) {
    #expect(failure(changes) == "unreadable")
  }

  @Test func theIssuerHasToBeTheSame() {
    for issuer in ["", #""https://other""#, #""https://issuer/""#, #""""#] {
      #expect(failure(["iss": issuer])?.contains("(iss)") == true, "\(issuer)")
    }
  }

  @Test func oneAudienceHasToBeTheServer() throws {
    for audience in ["", #""other""#, "[]", #"["other"]"#, #""VOICE""#] {
      #expect(failure(["aud": audience])?.contains("(aud)") == true, "\(audience)")
    }
    #expect(try grant(["aud": #"["other","voice"]"#]).name == "olga")
  }

  @Test func aTokenExpiresAfterTheClockSkew() {
    #expect(failure([:], at: Self.now + 89) == nil)
    #expect(failure([:], at: Self.now + 90)?.contains("(exp)") == true)
    #expect(failure([:], skew: .zero, at: Self.now + 59) == nil)
    #expect(failure([:], skew: .zero, at: Self.now + 60)?.contains("(exp)") == true)
    #expect(failure(["exp": ""])?.contains("(exp)") == true)
    #expect(failure(["exp": "-1"])?.contains("(exp)") == true)
  }

  @Test func aTokenIsValidFromItsTimeOn() {
    #expect(failure(["nbf": "1800000031"])?.contains("(nbf)") == true)
    #expect(failure(["nbf": "1800000030"]) == nil)
    #expect(failure(["nbf": "1800000001"], skew: .zero)?.contains("(nbf)") == true)
  }

  @Test(arguments: [
    "", #""""#, #"" olga""#, #""ol\u001b[31mga""#, #""ol\nga""#, #""\u00fcmit""#,
    #""\#(String(repeating: "a", count: 101))""#,
  ])
  func theSubjectFollowsTheRuleOfClientNames(subject: String) {
    #expect(failure(["sub": subject])?.contains("(sub)") == true)
  }

  @Test func aLifetimeIsBounded() throws {
    let forever = try grant(["exp": "1e300"])
    #expect(forever.lifetime(from: Self.now, clockSkew: .zero) == .seconds(365 * 86_400))
    #expect(try grant().lifetime(from: Self.now, clockSkew: .seconds(30)) == .seconds(90))
  }
}
