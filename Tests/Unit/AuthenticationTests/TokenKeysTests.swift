import Foundation
import TestCredentials
import Testing

@testable import Authentication

/// Files with the keys that verify tokens.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TokenKeysTests {
  private let issuer: TokenIssuer

  init() async throws { issuer = try await TokenIssuer() }

  private func keys(_ text: String) throws(TokenKeyError) -> TokenKeys {
    try TokenKeys(Array(text.utf8))
  }

  private func verify(_ token: String, with file: String) throws {
    try TokenKeys(issuer.bytes(file)).verify(SignedToken(token))
  }

  @Test func aKeySetVerifiesBothAlgorithms() async throws {
    for key in [TokenIssuer.Key.ec, .rsa] {
      let token = try issuer.token(for: "olga", "media", signedBy: key)
      try verify(token, with: "keys.json")
    }
  }

  @Test func pemVerifiesTokensWhateverTheirKeyIsCalled() async throws {
    let claims = TokenIssuer.claims()
    for header in ["\"alg\":\"RS256\"", "\"alg\":\"RS256\",\"kid\":\"any\""] {
      let token = try issuer.token(claims: claims, header: header, signedBy: .rsa)
      try verify(token, with: "rsa.pem")
    }
  }

  @Test func certificatesAreKeysToo() async throws {
    try await ShellScript.run(
      "openssl req -x509 -key rsa.key -subj /CN=issuer -days 2 -out issuer.pem",
      in: issuer.folder)
    let token = try issuer.token(for: "olga", "media", signedBy: .rsa)
    try verify(token, with: "issuer.pem")
  }

  @Test func aFileMayHaveSeveralPEMKeys() async throws {
    try await ShellScript.run(
      "openssl ecparam -name prime256v1 -genkey | openssl ec -pubout > both.pem; cat rsa.pem >> both.pem",
      in: issuer.folder)
    #expect(try TokenKeys(issuer.bytes("both.pem")).count == 2)
    let token = try issuer.token(for: "olga", "media", signedBy: .rsa)
    try verify(token, with: "both.pem")
  }

  @Test func aTokenOfAnotherKeyIsRefused() async throws {
    let token = try issuer.token(for: "olga", "media", signedBy: .stranger)
    #expect(
      throws: AuthenticationError.invalid("the signature of the token is not valid")
    ) { try verify(token, with: "keys.json") }
  }

  @Test func aTokenThatNamesAnUnknownKeyIsRefused() async throws {
    let unknown = AuthenticationError.invalid(
      "no key of this server has the name and the algorithm of the token's key")
    for header in ["\"alg\":\"ES256\",\"kid\":\"ec-2\"", "\"alg\":\"RS256\",\"kid\":\"ec-1\""] {
      let token = try issuer.token(claims: TokenIssuer.claims(), header: header)
      #expect(throws: unknown) { try verify(token, with: "keys.json") }
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
    #expect(try keys("{\"keys\":[\(all)]}").count == 1)
    #expect(throws: TokenKeyError.noKey) {
      try keys("{\"keys\":[\(others.joined(separator: ","))]}")
    }
  }

  @Test func keysOfASetThatCannotBeUsedAreLeftOut() async throws {
    let entries = [
      issuer.rsaEntry.replacing(#/"n":"[^"]*"/#, with: "\"n\":\"AQAB\""),
      issuer.ecEntry.replacing(#/"x":"[^"]*"/#, with: "\"x\":\"AAAA\"")
        .replacing("\"kid\":\"ec-1\",", with: ""),
      issuer.ecEntry,
    ]
    let set = "{\"keys\":[\(entries.joined(separator: ","))]}"
    let keys = try keys(set)
    #expect(keys.count == 1 && keys.unusable == ["rsa-1", ""])
    try keys.verify(SignedToken(try issuer.token(for: "olga", "media")))
    try issuer.write(set, to: "keys.json")
    let path = issuer.path("keys.json")
    #expect(
      TokenKeySource.file(try TokenKeyFile(path: path)).warning
        == "\(path): \(TokenKeyError.unusable); left out: \"rsa-1\", \"\"")
  }

  @Test func duplicateNamesAreRefused() async throws {
    #expect(throws: TokenKeyError.duplicate("ec-1")) {
      try keys("{\"keys\":[\(issuer.ecEntry),\(issuer.ecEntry)]}")
    }
    // The same name for keys of different algorithms is allowed (RFC 7517, section 4.5).
    let rsa = issuer.rsaEntry.replacing("rsa-1", with: "ec-1")
    #expect(try keys("{\"keys\":[\(issuer.ecEntry),\(rsa)]}").count == 2)
  }

  @Test func privateKeysAreRefused() async throws {
    #expect(throws: TokenKeyError.privateKey) {
      try TokenKeys(issuer.bytes("rsa.key"))
    }
    let entry = issuer.ecEntry.dropLast() + ",\"d\":\"AAAA\"}"
    #expect(throws: TokenKeyError.privateKey) { try keys("{\"keys\":[\(entry)]}") }
  }

  @Test(arguments: [
    ("", TokenKeyError.unreadable), ("{}", .unreadable), ("[]", .unreadable),
    ("{\"keys\":[]}", .noKey), ("{\"keys\":7}", .unreadable), ("garbage\n", .unreadable),
    (String(repeating: "[", count: 100_000), .unreadable),
    ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", .unusable),
    ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", .unusable),
    ("-----BEGIN", .unusable),
  ])
  func unusableFilesAreReported(text: String, error: TokenKeyError) {
    #expect(throws: error) { try keys(text) }
  }

  @Test func shortKeysAreRefused() async throws {
    try await ShellScript.run(
      "openssl genrsa -out weak.key 1024 && openssl rsa -in weak.key -pubout -out weak.pem",
      in: issuer.folder)
    #expect(throws: TokenKeyError.unusable) {
      try TokenKeys(issuer.bytes("weak.pem"))
    }
  }

  @Test func unusablePublicKeysAreRefused() async throws {
    try await ShellScript.run(
      """
      set -e
      openssl ecparam -name secp384r1 -genkey -noout | openssl ec -pubout > p384.pem
      openssl genpkey -algorithm ed25519 | openssl pkey -pubout > ed.pem
      openssl rsa -in rsa.pem -pubin -RSAPublicKey_out -out pkcs1.pem
      """, in: issuer.folder)
    for file in ["p384.pem", "ed.pem"] {
      #expect(throws: TokenKeyError.unusable) { try TokenKeys(issuer.bytes(file)) }
    }
    #expect(try TokenKeys(issuer.bytes("pkcs1.pem")).count == 1)
    let encrypted =
      "-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"
      + "AAAA\n-----END PUBLIC KEY-----\n"
    #expect(throws: TokenKeyError.unusable) { try keys(encrypted) }
  }

  @Test func keysWithImpossibleNumbersAreRefused() {
    let zeros = String(repeating: "A", count: 43)
    let entries = [
      issuer.ecEntry.replacing(#/"x":"[^"]*"/#, with: "\"x\":\"\(zeros)\""),
      issuer.ecEntry.replacing(#/"x":"[^"]*"/#, with: "\"x\":\"AAAA\""),
      issuer.ecEntry.replacing(#/"y":"[^"]*"/#, with: "\"z\":\"\(zeros)\""),
      issuer.ecEntry.replacing(#/"y":"[^"]*"/#, with: "\"y\":\"?\""),
      issuer.rsaEntry.replacing(#/"n":"[^"]*"/#, with: "\"n\":\"AQAB\""),
      issuer.rsaEntry.replacing(#/"n":"[^"]*"/#, with: "\"n\":\"\""),
      issuer.rsaEntry.replacing("AQAB", with: "AQ"),
    ]
    for entry in entries {
      #expect(throws: TokenKeyError.unusable) { try keys("{\"keys\":[\(entry)]}") }
    }
  }

  @Test func changedSignaturesAreRefused() throws {
    let keys = try TokenKeys(issuer.bytes("keys.json"))
    for key in [TokenIssuer.Key.ec, .rsa] {
      let parts = try issuer.token(for: "olga", "media", signedBy: key).split(separator: ".")
      let signature = String(parts[2])
      let wrong = [
        "", "AAAA", String(signature.dropLast(4)), signature + "AAAA",
        String(repeating: "A", count: signature.count), "AAAA" + signature.dropFirst(4),
      ]
      for signature in wrong {
        let token = try SignedToken("\(parts[0]).\(parts[1]).\(signature)")
        #expect(throws: AuthenticationError.invalid("the signature of the token is not valid")) {
          try keys.verify(token)
        }
      }
    }
  }

  @Test func tooManyKeysAreRefused() async throws {
    let entries = (0..<17).map { issuer.ecEntry.replacing("ec-1", with: "ec-\($0)") }
    #expect(throws: TokenKeyError.tooMany(17)) {
      try keys("{\"keys\":[\(entries.joined(separator: ","))]}")
    }
    #expect(
      try keys("{\"keys\":[\(entries.dropLast().joined(separator: ","))]}").count == 16)
  }
}
