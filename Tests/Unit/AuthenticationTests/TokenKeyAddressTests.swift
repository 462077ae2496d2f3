import Foundation
import GRPCTransport
import TestCredentials
import Testing
import TestTime

@testable import Authentication

/// Keys at an HTTPS address.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TokenKeyAddressTests {
  private let issuer: TokenIssuer
  private let certificates: Certificates

  init() async throws {
    issuer = try await TokenIssuer()
    certificates = try await Certificates()
  }

  private func keys(_ server: KeyServer, _ file: String = "keys.json") -> TokenKeyAddress {
    TokenKeyAddress(
      server.address(file), authorities: certificates.path("ca.pem"), refreshedAfter: .seconds(600))
  }

  private func publish(_ entries: String...) throws {
    try issuer.write("{\"keys\":[\(entries.joined(separator: ","))]}", to: "keys.json")
  }

  /// Returns the name of the client with a token, or the reason for which it is refused.
  private func client(_ authenticator: TokenAuthenticator, _ token: String) async -> String {
    var metadata = Metadata()
    metadata.append("authorization", "Bearer \(token)")
    let caller = PlainCaller(peer: "ipv4:127.0.0.1:1", metadata: metadata)
    let result: Result<Identified, AuthenticationError> =
      switch authenticator.authentication(of: caller) {
      case .known(let client): .success(client)
      case .refused(let failure): .failure(failure)
      case .pending(let identify): await identify()
      }
    switch result {
    case .success(let client): return client.principal.name
    case .failure(let failure): return failure.description
    }
  }

  private func authenticator(_ keys: TokenKeyAddress) -> TokenAuthenticator {
    TokenAuthenticator(
      keys: .address(keys),
      policy: TokenPolicy(issuer: TokenIssuer.issuer, audience: TokenIssuer.audience))
  }

  @Test func keysAreFetchedAndVerifyTokens() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = keys(server)
    let authenticator = authenticator(keys)
    let token = try issuer.token(for: "olga", "media")
    #expect(!authenticator.isReady && keys.fetchedAt == nil)
    #expect(await client(authenticator, token) == AuthenticationError.keysUnavailable.description)
    #expect(await keys.reload() == .success(2))
    #expect(authenticator.isReady && keys.fetchedAt != nil)
    #expect(await client(authenticator, token) == "olga")
    #expect(server.requests == 1)
  }

  @Test func aTokenWithAnUnknownKeyFetchesOnceAMinute() async throws {
    try publish(issuer.ecEntry)
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = keys(server)
    let authenticator = authenticator(keys)
    #expect(await keys.reload() == .success(1))
    try publish(issuer.ecEntry, issuer.rsaEntry)
    let tokens = try (0..<8).map { try issuer.token(for: "olga-\($0)", "media", signedBy: .rsa) }
    let names = await withTaskGroup(of: String.self) { group in
      for token in tokens { group.addTask { await client(authenticator, token) } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(names == Set((0..<8).map { "olga-\($0)" }))
    #expect(server.requests == 2, "calls at the same time share a fetch")
    let claims = TokenIssuer.claims()
    for name in 1...5 {
      let stranger = try issuer.token(
        claims: claims, header: "\"alg\":\"ES256\",\"kid\":\"unknown-\(name)\"")
      #expect(await client(authenticator, stranger).contains("no key of this server"))
    }
    #expect(server.requests == 2)
  }

  @Test func theOldKeysRemainWhenTheIssuerIsGoneOrSendsNoKeys() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = keys(server)
    let authenticator = authenticator(keys)
    #expect(await keys.reload() == .success(2))
    let fetched = keys.fetchedAt
    try issuer.write("garbage", to: "keys.json")
    #expect(await keys.reload() == .failure(.unreadable))
    server.stop()
    guard case .failure(.file(let problem)) = await keys.reload() else {
      Issue.record("a server that is gone gave keys")
      return
    }
    #expect(problem.contains("connect"), "\(problem)")
    #expect(authenticator.isReady && keys.fetchedAt == fetched)
    #expect(await client(authenticator, try issuer.token(for: "olga", "media")) == "olga")
  }

  @Test func aRemovedKeyIsNoLongerAccepted() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = keys(server)
    let authenticator = authenticator(keys)
    _ = await keys.reload()
    let token = try issuer.token(for: "olga", "media")
    #expect(await client(authenticator, token) == "olga")
    try publish(issuer.rsaEntry)
    #expect(await keys.reload() == .success(1))
    #expect(await client(authenticator, token).contains("no key of this server"))
  }

  @Test(arguments: [
    ("missing.json", "the answer has the status 404, not 200"),
    ("moved", "the answer has the status 302, not 200"),
    ("large", "the document has more than 262144 bytes"),
  ])
  func otherAnswersAreRefused(file: String, problem: String) async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    #expect(await keys(server, file).reload() == .failure(.file(problem)))
  }

  @Test func aSlowIssuerIsGivenUp() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let document = HTTPSDocument(
      address: server.address("slow"), authorities: certificates.path("ca.pem"), largestSize: 1000,
      timeLimit: .milliseconds(500))
    let begin = ContinuousClock.now
    await #expect(throws: HTTPSDocument.FetchError.self) { try await document.get(until: .init()) }
    #expect(ContinuousClock.now - begin < .seconds(5))
  }

  @Test func aFetchEndsWhenItIsCancelled() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = keys(server, "slow")
    let watch = Task { await keys.watch { _ in } }
    try await eventually("a request") { server.requests > 0 }
    let begin = ContinuousClock.now
    watch.cancel()
    await watch.value
    #expect(ContinuousClock.now - begin < .seconds(4), "its limit is 5 s")
  }

  @Test(arguments: ["expired", "named"])
  func aHostWithoutAGoodCertificateIsRefused(name: String) async throws {
    let server = try await KeyServer(issuer.folder, certificates, certificate: name)
    guard case .failure(.file(let problem)) = await keys(server).reload() else {
      Issue.record("the certificate \(name) was accepted")
      return
    }
    #expect(problem.lowercased().contains("certificate"), "\(problem)")
    #expect(server.requests == 0)
  }

  @Test func anUnknownAuthorityIsRefused() async throws {
    let server = try await KeyServer(issuer.folder, certificates)
    let keys = TokenKeyAddress(server.address(), refreshedAfter: .seconds(600))
    guard case .failure(.file(let problem)) = await keys.reload() else {
      Issue.record("the system trusts an authority of a test")
      return
    }
    #expect(problem.lowercased().contains("certificate"), "\(problem)")
  }
}
