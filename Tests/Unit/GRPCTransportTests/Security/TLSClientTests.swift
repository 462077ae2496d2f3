import GRPCTransport
import TestCredentials
import Testing

/// This client with Debian's python3-grpcio as a TLS server.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TLSClientTests {
  private let certificates: Certificates

  init() async throws { certificates = try await Certificates() }

  private func outcome(_ address: String, _ security: ChannelSecurity) async throws -> Status {
    let call = Channel(target: address, security: security).call(.test)
    call.halfClose()
    return try await call.outcome()
  }

  private func isServed(_ address: String, _ security: ChannelSecurity) async throws -> Bool {
    try await Channel(target: address, security: security).call(.test).exchange([1, 2]) == [1, 2]
  }

  private func expectRefusal(
    _ address: String, _ security: ChannelSecurity, isOfCertificate: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let status = try await outcome(address, security)
    #expect(status.code == .unavailable, "\(status)", sourceLocation: sourceLocation)
    #expect(
      status.isCertificateRefusal == isOfCertificate, "\(status)", sourceLocation: sourceLocation)
    #expect(
      !status.message.isEmpty && !status.message.contains(where: \.isNewline), "\(status)",
      sourceLocation: sourceLocation)
  }

  @Test func aTrustedServerIsSpokenTo() async throws {
    let server = try await PythonServer(certificates, showing: "server")
    try await #expect(isServed(server.address, certificates.channelSecurity()))
    let port = server.address.split(separator: ":")[1]
    try await #expect(isServed("localhost:\(port)", certificates.channelSecurity()))
    // The server requests no certificate. A client certificate does no harm.
    try await #expect(isServed(server.address, certificates.channelSecurity(as: "stranger")))
  }

  @Test func aServerOfAnotherAuthorityIsRefused() async throws {
    let server = try await PythonServer(certificates, showing: "server")
    for security in [try certificates.channelSecurity(trusting: "other-ca"), .tls()] {
      try await expectRefusal(server.address, security, isOfCertificate: true)
    }
  }

  @Test func aConnectionThatIsTheWrongOneHasAHint() async throws {
    try await withServer { server in
      let status = try await outcome(server.address, .tls())
      #expect(status.connectionHint?.contains("no TLS") == true, "\(status)")
    }
    let server = try await PythonServer(certificates, showing: "server")
    let status = try await outcome(server.address, .plaintext)
    #expect(status.connectionHint?.contains("may need TLS") == true, "\(status)")
    let foreign = try await outcome(
      server.address, certificates.channelSecurity(trusting: "other-ca"))
    #expect(foreign.connectionHint == nil, "\(foreign)")
  }

  @Test func anExpiredServerIsRefused() async throws {
    let server = try await PythonServer(certificates, showing: "expired")
    try await expectRefusal(
      server.address, certificates.channelSecurity(), isOfCertificate: true)
  }

  @Test func theNameHasToBeInTheCertificate() async throws {
    let server = try await PythonServer(certificates, showing: "named")
    try await expectRefusal(
      server.address, certificates.channelSecurity(), isOfCertificate: true)
    try await expectRefusal(
      server.address, certificates.channelSecurity(serverName: "other.example"),
      isOfCertificate: true)
    try await #expect(
      isServed(server.address, certificates.channelSecurity(serverName: "voice.example")))
  }

  @Test func oddNamesCauseNoCrash() async throws {
    let server = try await PythonServer(certificates, showing: "server")
    for name in ["a b", "ü", "x\ny", "*", "\0", String(repeating: "x", count: 100_000)] {
      let security = try certificates.channelSecurity(serverName: name)
      try await #expect(outcome(server.address, security).code == .unavailable)
    }
  }

  @Test func aServerThatAsksForACertificateGetsIt() async throws {
    let server = try await PythonServer(certificates, showing: "server", clientAuthority: "ca")
    // The first client is accepted. This must not let the others in.
    let good = Channel(
      target: server.address, security: try certificates.channelSecurity(as: "client"))
    try await #expect(good.call(.test).exchange([1]) == [1])
    for name in [nil, "stranger"] {
      try await expectRefusal(
        server.address, certificates.channelSecurity(as: name), isOfCertificate: false)
    }
    try await expectRefusal(
      server.address, certificates.channelSecurity(trusting: "other-ca", as: "client"),
      isOfCertificate: true)
    try await #expect(good.call(.test).exchange([1]) == [1])
  }

  @Test func aServerOfTheOtherKindIsUnavailable() async throws {
    let encrypted = try await PythonServer(certificates, showing: "server")
    try await expectRefusal(encrypted.address, .plaintext, isOfCertificate: false)
    let plaintext = try await PythonServer(certificates, showing: nil)
    try await expectRefusal(
      plaintext.address, certificates.channelSecurity(), isOfCertificate: false)
    try await #expect(isServed(plaintext.address, .plaintext))
  }

  @Test func anAbsentServerDoesNotCountAsRefusal() async throws {
    let address = try await withServer { $0.address }
    try await expectRefusal(address, certificates.channelSecurity(), isOfCertificate: false)
  }
}
