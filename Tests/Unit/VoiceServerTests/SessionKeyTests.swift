import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Synchronization
import Testing
import VoiceClient

/// The header by which a proxy finds the server of a session.
@Suite(.timeLimit(.minutes(1)))
struct SessionKeyTests {
  /// The methods that name a session, and the clients' calls of them.
  private static let calls:
    [(method: String, call: @Sendable (SessionsClient) async throws -> Void)] =
      [
        (RPC.getSession, { _ = try await $0.get("sessions/one") }),
        (
          RPC.updateSession,
          { _ = try await $0.update(.with { $0.name = "sessions/one" }, mask: ["labels"]) }
        ),
        (RPC.deleteSession, { try await $0.delete("sessions/one") }),
        (RPC.setMute, { _ = try await $0.setMute("sessions/one", muted: true) }),
        (
          RPC.reportMuteGesture, { _ = try await $0.reportMuteGesture("sessions/one", id: "press") }
        ),
        (
          RPC.requestInjectionPermission,
          { _ = try await $0.requestInjectionPermission("sessions/one", usageDescription: "bell") }
        ),
        (RPC.watchSession, { _ = try await $0.watch("sessions/one").receive() }),
        (
          RPC.injectSpeech,
          { _ = try await $0.injectSpeech(.with { $0.name = "sessions/one" }).finish() }
        ),
        (RPC.recordSession, { _ = try await $0.record("sessions/one").receive() }),
      ]

  @Test func everyCallThatNamesASessionCarriesItsId() async throws {
    try await withListener { address, keys in
      let client = SessionsClient(server: address, clientName: "olga")
      for (method, call) in Self.calls {
        _ = try await refusal { try await call(client) }
        #expect(keys.take(method) == "one", "\(method)")
      }
    }
  }

  @Test func aProcessCallCarriesTheIdOfItsStart() async throws {
    try await withListener { address, keys in
      let client = VoiceProcessingClient(server: address)
      _ = try await refusal { _ = try await client.process(.with { $0.sessionID = "mine" }) }
      #expect(keys.take(RPC.process) == "mine")
    }
  }

  @Test func aClientChoosesAnIdForAProxy() async throws {
    try await withListener { address, keys in
      let client = VoiceProcessingClient(server: address)
      _ = try await refusal { _ = try await client.process(.init()) }
      let key = try #require(keys.take(RPC.process))
      #expect(Identifier.isValid(key))
    }
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      #expect(stream.started.session.hasPrefix("sessions/"))
      stream.cancel()
    }
  }

  /// Runs `body` with a server that notes the keys of its calls and refuses them.
  private func withListener(_ body: (String, Keys) async throws -> Void) async throws {
    let keys = Keys()
    let methods = Self.calls.map { Method(service: RPC.sessions, name: $0.method) }
    let process = Method(service: RPC.voiceProcessing, name: RPC.process)
    let refusal = Status(.unavailable, "this server only listens")
    let server = try Server(
      options: .init(addresses: ["127.0.0.1:0"]),
      methods: methods.map { method in
        .serverStreaming(method) { _, context, _ in
          keys.record(context)
          throw refusal
        }
      } + [
        // It does not wait for the end of the requests.
        .clientStreaming(process) { _, context in
          keys.record(context)
          throw refusal
        }
      ])
    do {
      try await body(server.addresses[0], keys)
    } catch {
      await server.shutdown(grace: .zero)
      throw error
    }
    await server.shutdown(grace: .zero)
  }

  private final class Keys: Sendable {
    private let keys = Mutex<[String: String]>([:])

    func record(_ context: CallContext) {
      keys.withLock { $0[context.method.name] = context.metadata[RPC.sessionKey] }
    }

    func take(_ method: String) -> String? { keys.withLock { $0.removeValue(forKey: method) } }
  }
}
