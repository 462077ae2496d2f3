import GRPCTransport
import TestCredentials
import Testing
import TestTime

/// Checks of calls before their handlers exist.
@Suite(.timeLimit(.minutes(1)))
struct InterceptorTests {
  /// Admits calls with the header `who`, and attaches its value.
  private struct Doorman: CallInterceptor {
    var isSlow = false
    var expiry: Admission.Expiry?

    func admission(of call: ServerCall) -> Admission {
      let name = call.metadata["who"]
      let decision: Admission.Decision =
        name.map { .admitted($0, expiry: expiry) } ?? .refused(Status(.unauthenticated, "no name"))
      guard isSlow else { return .decided(decision) }
      return .pending {
        await Task.yield()
        return decision
      }
    }
  }

  private let naming = ServerMethod.unary(.test) { _, context in
    Array("hello \(context.attachment as? String ?? "nobody")".utf8)
  }

  private static var olga: Metadata {
    var metadata = Metadata()
    metadata.append("who", "olga")
    return metadata
  }

  @Test(arguments: [false, true])
  func theHandlerGetsWhatTheInterceptorAttached(isSlow: Bool) async throws {
    try await withServer([naming.admitted(by: Doorman(isSlow: isSlow))]) { server in
      let channel = server.channel()
      let answer = try await within {
        try await channel.unary(.test, [1], metadata: Self.olga)
      }
      #expect(answer == [UInt8]("hello olga"))
    }
  }

  @Test(arguments: [false, true])
  func aRefusedCallHasNoHandler(isSlow: Bool) async throws {
    let journal = Journal()
    let method = ServerMethod(.test) { ScriptedHandler($0, journal, .echo) }
    try await withServer([method.admitted(by: Doorman(isSlow: isSlow))]) { server in
      let call = server.call()
      try? await within { try await call.send([1]) }
      try await #expect(call.outcome() == Status(.unauthenticated, "no name"))
    }
    #expect(journal.count(of: .started) == 0)
  }

  @Test func aMethodWithoutAnInterceptorAdmitsEveryone() async throws {
    try await withServer([naming]) { server in
      let channel = server.channel()
      let answer = try await within { try await channel.unary(.test, [1]) }
      #expect(answer == [UInt8]("hello nobody"))
    }
  }

  @Test func aClientThatLeavesBeforeTheDecisionHarmsNothing() async throws {
    try await withServer([naming.admitted(by: Doorman(isSlow: true))]) { server in
      for channel in server.connections(4) {
        for _ in 0..<20 { channel.call(.test, metadata: Self.olga).cancel() }
      }
      let channel = server.channel(.fresh())
      let answer = try await within {
        try await channel.unary(.test, [1], metadata: Self.olga)
      }
      #expect(answer == [UInt8]("hello olga"))
    }
  }

  @Test func aCallEndsWhenItsAdmissionExpires() async throws {
    let expired = Status(.unauthenticated, "expired")
    let doorman = Doorman(expiry: .init(after: .milliseconds(50), expired))
    let journal = Journal()
    let echo = ServerMethod(.test) { ScriptedHandler($0, journal, .echo) }
    try await withServer([echo.admitted(by: doorman)], journal: journal) { server in
      let call = server.call(metadata: Self.olga)
      try await #expect(call.exchange([7]) == [7])
      try await #expect(call.outcome() == expired)
    }
  }

  /// The function would go on for ever, with all that it holds.
  @Test func theFunctionOfACallThatExpiresIsCancelled() async throws {
    let expired = Status(.unauthenticated, "expired")
    let doorman = Doorman(expiry: .init(after: .milliseconds(50), expired))
    let (end, ending) = AsyncStream.makeStream(of: Void.self)
    let method = ServerMethod.clientStreaming(.test) { _, _ in
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Void>.makeStream().stream {}
      } onCancel: {
        ending.finish()
      }
      return []
    }
    try await withServer([method.admitted(by: doorman)]) { server in
      let call = server.call(metadata: Self.olga)
      try await #expect(call.outcome() == expired)
      try await within { for await _ in end {} }
    }
  }

  @Test func theStartDeadlineRunsDuringTheDecision() async throws {
    struct Ponderer: CallInterceptor {
      let end: AsyncStream<Void>
      let decided: AsyncStream<Void>.Continuation

      func admission(of call: ServerCall) -> Admission {
        .pending {
          for await _ in end {}
          decided.finish()
          return .admitted(0)
        }
      }
    }
    let (end, ending) = AsyncStream.makeStream(of: Void.self)
    let (decisions, decided) = AsyncStream.makeStream(of: Void.self)
    let late = Status(.deadlineExceeded, "late")
    let journal = Journal()
    let method = ServerMethod(.test) {
      ScriptedHandler($0, journal, .echo)
    }.with(CallDeadlines(start: CallDeadline(.milliseconds(50), late)))
    try await withServer([method.admitted(by: Ponderer(end: end, decided: decided))]) { server in
      try await #expect(server.call().outcome() == late)
      ending.finish()
      for await _ in decisions {}
      await server.server.callThreadsAnswer()
    }
    #expect(journal.count(of: .started) == 0)
  }
}

/// The properties of a client's certificate, as an interceptor sees them.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct PeerPropertyTests {
  private struct Reporter: CallInterceptor {
    func admission(of call: ServerCall) -> Admission { .decided(.admitted(call.peerProperties)) }
  }

  private let reporting = ServerMethod.unary(.test) { _, context in
    let properties = context.attachment as? [PeerProperty] ?? []
    return Array(
      properties.filter { !$0.name.contains("pem") }.map { "\($0.name)=\($0.value)" }.sorted()
        .joined(separator: "\n").utf8)
  }

  @Test func aVerifiedCertificateShowsItsNames() async throws {
    let certificates = try await Certificates()
    let options = try certificates.serverOptions("server", clientAuthority: "ca")
    try await withServer([reporting.admitted(by: Reporter())], options: options) { server in
      let channel = Channel(
        target: server.address, security: try certificates.channelSecurity(as: "client"))
      let answer = try await within { try await channel.unary(.test, []) }
      let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n")
      #expect(lines.contains("x509_common_name=client"))
      #expect(lines.contains("peer_dns=client"))
      #expect(lines.contains("x509_subject_alternative_name=client"))
    }
  }

  @Test func withoutACertificateThereAreNone() async throws {
    let certificates = try await Certificates()
    let method = reporting.admitted(by: Reporter())
    try await withServer([method], options: try certificates.serverOptions("server")) { server in
      let channel = Channel(
        target: server.address, security: try certificates.channelSecurity())
      try await #expect(within { try await channel.unary(.test, []) }.isEmpty)
    }
    try await withServer([method]) { server in
      let channel = server.channel()
      try await #expect(within { try await channel.unary(.test, []) }.isEmpty)
    }
  }
}
