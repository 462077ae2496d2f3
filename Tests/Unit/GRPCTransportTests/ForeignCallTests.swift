import GRPCTransport
import Testing
import TestTime

/// Calls that do not come over gRPC.
@Suite(.timeLimit(.minutes(1)))
struct ForeignCallTests {
  /// A connection that takes everything and sends nothing.
  private struct Silence: ServerCallTransport, Sendable {
    var metadata: Metadata { Metadata() }
    var peer: String { "ipv4:127.0.0.1:1" }
    var peerProperties: [PeerProperty] { [] }
    var timeLeft: Duration? { nil }

    func read() -> Bool { true }
    func write(_ message: UnsafeRawBufferPointer) -> Bool { true }
    func finish(_ status: Status, _ trailers: Metadata) -> Bool { true }
    func abort(_ status: Status) {}
    func addInitialMetadata(_ metadata: Metadata) {}
  }

  /// A client may be gone before its call starts.
  @Test func aCallThatIsLostBeforeItStartsEnds() async throws {
    try await withServer { server in
      let isStarted = server.server.startCall(of: .test) { call in
        call.perform { $0.lost() }
        return Silence()
      }
      #expect(isStarted)
      try await server.journal.wait(for: .released)
      #expect(server.journal.count(of: .cancelled) == 1)
      // No call is left that the end would wait for.
      try await within { await server.server.shutdown(grace: .seconds(30)) }
    }
  }
}
