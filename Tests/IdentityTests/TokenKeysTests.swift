import Foundation
import TestCertificates
import TestTokens
import Testing

@testable import Identity

/// Files with the keys that verify tokens.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TokenKeysTests {
  private let issuer: TokenIssuer

  init() async throws { issuer = try await TokenIssuer() }

  private func keys(_ text: String) async throws(TokenKeyError) -> TokenKeys {
    try await TokenKeys(Array(text.utf8))
  }

  private func verify(_ token: String, with file: String) async throws {
    try await TokenKeys(issuer.bytes(file)).verify(SignedToken(token))
  }

  @Test func aKeySetVerifiesBothAlgorithms() async throws {
    for key in [TokenIssuer.Key.ec, .rsa] {
      let token = try issuer.token(for: "olga", "media", signedBy: key)
      try await verify(token, with: "keys.json")
    }
  }

  @Test func pemVerifiesTokensWhateverTheirKeyIsCalled() async throws {
    let claims = TokenIssuer.claims()
    for header in ["\"alg\":\"RS256\"", "\"alg\":\"RS256\",\"kid\":\"any\""] {
      let token = try issuer.token(claims: claims, header: header, signedBy: .rsa)
      try await verify(token, with: "rsa.pem")
    }
  }

  @Test func certificatesAreKeysToo() async throws {
    try await ShellScript.run(
      "openssl req -x509 -key rsa.key -subj /CN=issuer -days 2 -out issuer.pem",
      in: issuer.folder)
    let token = try issuer.token(for: "olga", "media", signedBy: .rsa)
    try await verify(token, with: "issuer.pem")
  }

  @Test func aFileMayHaveSeveralPEMKeys() async throws {
    try await ShellScript.run(
      "openssl ecparam -name prime256v1 -genkey | openssl ec -pubout > both.pem; cat rsa.pem >> both.pem",
      in: issuer.folder)
    #expect(try await TokenKeys(issuer.bytes("both.pem")).count == 2)
    let token = try issuer.token(for: "olga", "media", signedBy: .rsa)
    try await verify(token, with: "both.pem")
  }

  @Test func aTokenOfAnotherKeyIsRefused() async throws {
    let token = try issuer.token(for: "olga", "media", signedBy: .stranger)
    await #expect(
      throws: AuthenticationFailure.invalid("the signature of the token is not valid")
    ) { try await verify(token, with: "keys.json") }
  }

  @Test func aTokenThatNamesAnUnknownKeyIsRefused() async throws {
    let unknown = AuthenticationFailure.invalid(
      "no key of this server has the name and the algorithm of the token's key")
    for header in ["\"alg\":\"ES256\",\"kid\":\"ec-2\"", "\"alg\":\"RS256\",\"kid\":\"ec-1\""] {
      let token = try issuer.token(claims: TokenIssuer.claims(), header: header)
      await #expect(throws: unknown) { try await verify(token, with: "keys.json") }
    }
  }

  @Test func keysForOtherPurposesAreLeftOut() async throws {
    let others = [
      #"{"kty":"oct","k":"c2VjcmV0","kid":"hmac","alg":"HS256"}"#,
      #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"ed"}"#,
      issuer.rsaEntry.replacing("\"sig\"", with: "\"enc\"").replacing("rsa-1", with: "enc-1"),
      issuer.rsaEntry.replacing("RS256", with: "PS256").replacing("rsa-1", with: "pss-1"),
      "17", "{}",
    ]
    let all = ([issuer.ecEntry] + others).joined(separator: ",")
    #expect(try await keys("{\"keys\":[\(all)]}").count == 1)
    await #expect(throws: TokenKeyError.noKey) {
      try await keys("{\"keys\":[\(others.joined(separator: ","))]}")
    }
  }

  @Test func duplicateNamesAreRefused() async throws {
    await #expect(throws: TokenKeyError.duplicate("ec-1")) {
      try await keys("{\"keys\":[\(issuer.ecEntry),\(issuer.ecEntry)]}")
    }
    // The same name for keys of different algorithms is allowed (RFC 7517, section 4.5).
    let rsa = issuer.rsaEntry.replacing("rsa-1", with: "ec-1")
    #expect(try await keys("{\"keys\":[\(issuer.ecEntry),\(rsa)]}").count == 2)
  }

  @Test func privateKeysAreRefused() async throws {
    await #expect(throws: TokenKeyError.privateKey) {
      try await TokenKeys(issuer.bytes("rsa.key"))
    }
    let entry = issuer.ecEntry.dropLast() + ",\"d\":\"AAAA\"}"
    await #expect(throws: TokenKeyError.privateKey) { try await keys("{\"keys\":[\(entry)]}") }
  }

  @Test(arguments: [
    ("", TokenKeyError.unreadable), ("{}", .unreadable), ("[]", .unreadable),
    ("{\"keys\":[]}", .noKey), ("{\"keys\":7}", .unreadable), ("garbage\n", .unreadable),
    (String(repeating: "[", count: 100_000), .unreadable),
    ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", .unusable),
    ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", .unusable),
    ("-----BEGIN", .unusable),
  ])
  func unusableFilesAreReported(text: String, error: TokenKeyError) async {
    await #expect(throws: error) { try await keys(text) }
  }

  @Test func shortKeysAreRefused() async throws {
    try await ShellScript.run(
      "openssl genrsa -out weak.key 1024 && openssl rsa -in weak.key -pubout -out weak.pem",
      in: issuer.folder)
    await #expect(throws: TokenKeyError.unusable) {
      try await TokenKeys(issuer.bytes("weak.pem"))
    }
  }

  @Test func tooManyKeysAreRefused() async throws {
    let entries = (0..<17).map { issuer.ecEntry.replacing("ec-1", with: "ec-\($0)") }
    await #expect(throws: TokenKeyError.tooMany(17)) {
      try await keys("{\"keys\":[\(entries.joined(separator: ","))]}")
    }
    #expect(
      try await keys("{\"keys\":[\(entries.dropLast().joined(separator: ","))]}").count == 16)
  }
}
