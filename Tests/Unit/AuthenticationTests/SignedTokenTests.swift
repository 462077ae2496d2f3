import TestCredentials
import Testing

@testable import Authentication

/// The parts of tokens that nobody has verified yet.
struct SignedTokenTests {
  private func problem(_ text: String) -> String? {
    do throws(AuthenticationError) {
      _ = try SignedToken(text)
      return nil
    } catch {
      return error.description
    }
  }

  private func token(header: String) -> String {
    "\(TokenIssuer.encoded(header)).\(TokenIssuer.encoded("{}")).AAAA"
  }

  @Test func aTokenHasThreeParts() throws {
    let token = try SignedToken(token(header: #"{"alg":"ES256","kid":"a","typ":"JWT"}"#))
    #expect(token.algorithm == .es256 && token.keyID == "a")
    #expect(Array(token.payload) == Array("{}".utf8))
    #expect(Array(token.signature) == [0, 0, 0])
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c.d", "AAAA.AAAA.AA=A", "AAAA.AA+A.AAAA", "!!!!.AAAA.AAAA",
    String(repeating: ".", count: 8000), "AAAAA.AAAA.AAAA",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(problem(text) != nil)
  }

  @Test(arguments: [
    "none", "None", "HS256", "HS512", "RS384", "ES384", "EdDSA", "PS256", "es256", "",
  ])
  func otherAlgorithmsAreRefused(algorithm: String) {
    #expect(
      problem(token(header: #"{"alg":"\#(algorithm)"}"#))
        == "the algorithm of the token is not RS256 or ES256")
  }

  @Test(arguments: ["{}", #"{"alg":7}"#, #"{"alg":null}"#, "[]", "7", #"{"alg":"ES256","kid":7}"#])
  func aHeaderWithoutAnAlgorithmIsRefused(header: String) {
    #expect(problem(token(header: header)) == "the header of the token cannot be read")
  }

  @Test func criticalFieldsAreRefused() {
    #expect(problem(token(header: #"{"alg":"ES256","crit":["b64"],"b64":false}"#)) != nil)
  }

  @Test func aDeepHeaderIsRefused() {
    let deep = #"{"alg":"ES256","x":"# + String(repeating: "[", count: 5000)
    #expect(problem(token(header: deep)) != nil)
  }
}
