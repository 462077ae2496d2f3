import AnechoicAPI
import Authentication
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestCredentials
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Sessions of clients with verified names.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PrincipalSessionTests {
  @Test func theSubjectOwnsTheSession() async throws {
    try await TokenServer.run { tokens in
      let client = VoiceProcessingClient(
        server: tokens.server.address, clientName: "eve",
        credentials: FixedToken(text: try tokens.issuer.token(for: "olga", "media")))
      let stream = try await client.process(.mediaClock())
      let seen = try await tokens.steering("olga", "read").get(stream.started.session)
      #expect(seen.owner == "olga")
      stream.cancel()
    }
  }

  @Test func sessionsCountByPrincipal() async throws {
    try await TokenServer.run {
      $0.limits.sessionsPerClient = 1
    } _: { tokens in
      let first = try await tokens.media("olga").process(.mediaClock())
      let status = try await refusal { _ = try await tokens.media("olga").process(.mediaClock()) }
      #expect(status?.reason == "CLIENT_FULL" && status?.message.contains("one client") == true)
      // The other client has the same host.
      let other = try await tokens.media("paul").process(.mediaClock())
      first.cancel()
      other.cancel()
    }
  }

  @Test func aRecorderGetsOnlySessionsOfItsPrincipal() async throws {
    try await TokenServer.run {
      $0.allowsRecording = true
    } _: { tokens in
      let name = "sessions/meeting"
      let stranger = try await tokens.steering("eve", "control").record(name, wait: .seconds(2))
      // The recorder of the stranger does not keep out the one of the owner.
      let own = try await tokens.steering("olga", "control").record(name, wait: .seconds(20))
      let stream = try await tokens.media("olga").process(
        .mediaClock().with { $0.sessionID = "meeting" })
      stream.finish()
      while try await stream.receive() != nil {}
      var bytes = 0
      while let part = try await own.receive() { bytes += part.count }
      #expect(bytes > 0)
      let status = try await refusal { while try await stranger.receive() != nil {} }
      #expect(status?.reason == "NO_SESSION", "\(String(describing: status))")
    }
  }

  @Test func anAdministratorMayRecordForOthers() async throws {
    try await TokenServer.run {
      $0.allowsRecording = true
    } _: { tokens in
      let recorder = try await tokens.steering("root", "admin").record("sessions/meeting")
      let status = try await refusal {
        _ = try await tokens.steering("olga", "control").record("sessions/meeting")
      }
      #expect(status?.reason == "RECORDER_EXISTS")
      let stream = try await tokens.media("olga").process(
        .mediaClock().with { $0.sessionID = "meeting" })
      stream.finish()
      while try await stream.receive() != nil {}
      #expect(try await recorder.receive()?.isEmpty == false)
      recorder.cancel()
    }
  }

  @Test func aRunningCallOutlivesItsToken() async throws {
    try await TokenServer.run(policy: .punctual()) { tokens in
      let token = try tokens.issuer.token(for: "olga", "media", lifetime: 2)
      let client = VoiceProcessingClient(
        server: tokens.server.address, credentials: FixedToken(text: token))
      let stream = try await client.process(.mediaClock())
      try await eventually("the token is refused") {
        let status = try await refusal { _ = try await client.capabilities() }
        return status?.code == .unauthenticated
      }
      try await stream.send(.with { $0.microphone.samples = Data(count: 3200) })
      #expect(try await stream.receive() != nil)
      stream.cancel()
    }
  }

  @Test func aRunningCallEndsWithItsTokenIfTheServerWantsIt() async throws {
    try await TokenServer.run(policy: .punctual(endsExpiredCalls: true)) { tokens in
      let token = try tokens.issuer.token(for: "olga", "media", lifetime: 2)
      let client = VoiceProcessingClient(
        server: tokens.server.address, credentials: FixedToken(text: token))
      let stream = try await client.process(.mediaClock())
      let status = try await refusal { while try await stream.receive() != nil {} }
      #expect(status?.reason == "CREDENTIALS_EXPIRED", "\(String(describing: status))")
    }
  }

  @Test func newKeysCountForNewCalls() async throws {
    try await TokenServer.run { tokens in
      let rsa = VoiceProcessingClient(
        server: tokens.server.address,
        credentials: FixedToken(
          text: try tokens.issuer.token(for: "olga", "media", signedBy: .rsa)))
      let stream = try await rsa.process(.mediaClock())
      try tokens.issuer.write("{\"keys\":[\(tokens.issuer.ecEntry)]}", to: "keys.json")
      try tokens.keys.reload()
      let status = try await refusal { _ = try await rsa.capabilities() }
      #expect(status?.code == .unauthenticated)
      #expect(try await tokens.media("paul").capabilities().sessionsActive == 1)
      stream.cancel()
    }
  }

  /// Runs a server that knows its clients by certificates: edges of voice.example, and others. `body` gets the
  /// security of a client with a certificate.
  private func withCertificates(
    edges: String, others: Scope,
    _ body: (TestServer, (_ name: String) throws -> ChannelSecurity) async throws -> Void
  ) async throws {
    let certificates = try await Certificates()
    func identity(_ name: String) throws -> CertificateIdentity {
      try CertificateIdentity(
        certificateChain: certificates.bytes("\(name).pem"),
        key: certificates.bytes("\(name).key"))
    }
    let authority = try CertificateAuthorities(pem: certificates.bytes("ca.pem"))
    let rules = ["spiffe://voice.example/*=\(edges)"].compactMap { ScopeMap.Rule($0) }
    try await TestServer.run {
      $0.security = .tls(identity: try identity("server"), clientAuthorities: authority)
      $0.authenticator = CertificateAuthenticator(scopes: ScopeMap(rules, otherwise: [others]))
    } _: { server in
      try await body(server) { .tls(authorities: authority, identity: try identity($0)) }
    }
  }

  @Test func aCertificateNamesTheClient() async throws {
    try await withCertificates(edges: "media,read", others: .read) { server, security in
      let edge = VoiceProcessingClient(
        server: server.address, clientName: "eve", security: try security("spiffe"))
      let stream = try await edge.process(.mediaClock())
      let own = SessionsClient(
        server: server.address, clientName: "", security: try security("spiffe"))
      let owner = try await own.get(stream.started.session).owner
      #expect(owner == "spiffe://voice.example/edge/kitchen")
      let other = SessionsClient(
        server: server.address, clientName: "", security: try security("client"))
      #expect(try await other.list().isEmpty)
      let missing = try await refusal {
        _ = try await other.setMute(stream.started.session, muted: true)
      }
      #expect(missing?.reason == "SCOPE_MISSING")
      stream.cancel()
    }
  }

  @Test func aCertificateThatMayInjectSeesWhetherItCan() async throws {
    try await withCertificates(edges: "media", others: .inject) { server, security in
      let doorbell = SessionsClient(
        server: server.address, clientName: "", security: try security("client"))
      let watch = try await doorbell.watchInjection("sessions/kitchen")
      #expect(try await watch.receive()?.map(\.running) == [false])
      let edge = VoiceProcessingClient(server: server.address, security: try security("spiffe"))
      let stream = try await edge.process(.mediaClock().with { $0.sessionID = "kitchen" })
      #expect(try await watch.receive()?.map(\.running) == [true])
      let status = try await doorbell.injectionStatus("sessions/kitchen")
      #expect(status.permission == .undetermined && !status.available)
      let hidden = try await refusal { _ = try await doorbell.get("sessions/kitchen") }
      #expect(hidden?.reason == "SCOPE_MISSING")
      watch.cancel()
      stream.cancel()
    }
  }

  @Test func aConnectionWithoutACertificateIsRefused() async throws {
    try await TestServer.run {
      $0.authenticator = CertificateAuthenticator(scopes: ScopeMap())
    } _: { server in
      let status = try await refusal { _ = try await server.client.capabilities() }
      #expect(status?.code == .unauthenticated && status?.reason == "CREDENTIALS_MISSING")
    }
  }
}

/// Tokens on the side of clients.
@Suite(.timeLimit(.minutes(1)))
struct ClientCredentialsTests {
  @Test(arguments: [
    "192.0.2.1:50051", "voice.example:50051", "0.0.0.0:1", "[::]:1", "[2001:db8::1]:1",
  ])
  func aTokenIsNotSentInPlaintextToOtherMachines(address: String) async throws {
    let client = VoiceProcessingClient(server: address, credentials: FixedToken(text: "secret"))
    let status = try await refusal { _ = try await client.capabilities() }
    #expect(status?.code == .unauthenticated)
    #expect(status?.message.contains("without TLS") == true)
    #expect(status?.message.contains("secret") == false)
  }

  @Test func aTokenFileIsReadAgainWhenItChanges() async throws {
    try await TokenServer.run { tokens in
      let issuer = tokens.issuer
      try issuer.write(try issuer.token(for: "olga", "media", lifetime: -60), to: "token")
      let client = VoiceProcessingClient(
        server: tokens.server.address, credentials: TokenFile(path: issuer.path("token")))
      let status = try await refusal { _ = try await client.capabilities() }
      #expect(status?.message.contains("(exp)") == true)
      try issuer.write("\(try issuer.token(for: "olga", "media read"))\n", to: "token")
      _ = try await client.capabilities()
    }
  }

  @Test func aTokenFileThatCannotBeUsedIsReported() async throws {
    let issuer = try await TokenIssuer()
    for (text, problem) in [("", "one token"), ("a b", "one token"), ("a\nb", "one token")] {
      try issuer.write(text, to: "token")
      #expect(throws: Status.self) { try TokenFile(path: issuer.path("token")).token() }
      do {
        _ = try TokenFile(path: issuer.path("token")).token()
      } catch {
        #expect(error.message.contains(problem))
      }
    }
    #expect(mkfifo(issuer.path("fifo"), 0o600) == 0)
    for path in [issuer.path("missing"), "/dev/zero", issuer.folder.path, issuer.path("fifo")] {
      #expect(throws: Status.self, "\(path)") { try TokenFile(path: path).token() }
    }
  }
}
