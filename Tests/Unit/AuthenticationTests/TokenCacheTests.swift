import GRPCTransport
import Testing

@testable import Authentication

struct TokenCacheTests {
  private func token(_ text: String) throws -> BearerToken {
    var metadata = Metadata()
    metadata.append("authorization", "Bearer \(text)")
    return try BearerToken(metadata)
  }

  private let grant = TokenGrant(name: "olga", scopes: [.media], notBefore: nil, expiry: 1)

  @Test func aTokenIsVerifiedOnce() throws {
    var cache = TokenCache()
    cache.keep(grant, of: try token("a"), version: 1)
    #expect(try cache.grant(token("a"), version: 1) == grant)
    #expect(try cache.grant(token("b"), version: 1) == nil)
  }

  @Test func newKeysForgetTheTokensOfOldKeys() throws {
    var cache = TokenCache()
    cache.keep(grant, of: try token("a"), version: 1)
    #expect(try cache.grant(token("a"), version: 2) == nil)
    cache.keep(grant, of: try token("b"), version: 2)
    #expect(try cache.grant(token("a"), version: 1) == nil)
    // A verification with old keys that ends late.
    cache.keep(grant, of: try token("c"), version: 1)
    #expect(try cache.grant(token("c"), version: 2) == nil)
    #expect(cache.count == 1)
  }

  @Test func theNumberOfTokensIsBounded() throws {
    var cache = TokenCache()
    for index in 0..<10_000 { cache.keep(grant, of: try token("\(index)"), version: 1) }
    #expect((TokenCache.most / 2...TokenCache.most).contains(cache.count))
    #expect(try cache.grant(token("9999"), version: 1) == grant)
  }
}

struct WaitingCallsTests {
  @Test func theCallsOfAHostAreBounded() throws {
    let calls = WaitingCalls()
    var places = (0..<100).compactMap { _ in calls.enter("a") }
    #expect(places.count == WaitingCalls.mostOfHost)
    #expect(calls.enter("b") != nil)
    places.removeAll()
    #expect(calls.count == 0)
    #expect(calls.enter("a") != nil)
  }

  @Test func allCallsAreBounded() {
    let calls = WaitingCalls()
    let places = (0..<1000).compactMap { calls.enter("\($0)") }
    #expect(places.count == WaitingCalls.most)
    #expect(calls.enter("another") == nil)
  }
}

/// The header of a call with a token.
struct BearerTokenTests {
  private func problem(_ values: [String]) -> String? {
    var metadata = Metadata()
    for value in values { metadata.append("authorization", value) }
    do throws(AuthenticationError) {
      _ = try BearerToken(metadata)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func theSchemeIsBearer() throws {
    #expect(problem(["Bearer a.b.c"]) == nil)
    #expect(problem(["bearer a.b.c"]) == nil)
    for value in ["", "Basic b2xnYTpwYXNz", "Bearer", "a.b.c", "Bearera.b.c"] {
      #expect(problem([value]) != nil, "\(value)")
    }
  }

  @Test func oneTokenIsAllowed() {
    #expect(problem([]) != nil)
    #expect(problem(["Bearer a", "Bearer b"]) != nil)
    #expect(problem(Array(repeating: "Bearer a", count: 100)) != nil)
  }

  @Test func aTokenHasAtMost8KiB() {
    #expect(problem(["Bearer " + String(repeating: "a", count: 8192)]) == nil)
    #expect(problem(["Bearer " + String(repeating: "a", count: 8193)]) != nil)
  }
}
