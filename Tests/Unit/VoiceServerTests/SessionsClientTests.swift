import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// `SessionsClient` as a program uses it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SessionsClientTests {
  @Test func aListHasTheSessionsOfAllPages() async throws {
    try await TestServer.run { server in
      var streams: [ProcessStream] = []
      for _ in 1...120 { streams.append(try await server.client.process(.mediaClock())) }
      let listed = try await SessionsClient(server: server.address, clientName: "olga").list()
      #expect(Set(listed.map(\.name)) == Set(streams.map(\.started.session)))
      #expect(listed.count == streams.count)
      for stream in streams { stream.cancel() }
    }
  }

  @Test func aWatchThatIsCancelledEndsAndLeavesTheSession() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let client = SessionsClient(server: server.address, clientName: "olga")
      let watch = try await client.watch(stream.started.session)
      #expect(try await watch.receive()?.snapshot.name == stream.started.session)
      watch.cancel()
      await #expect(throws: Status.self) { try await watch.receive() }
      #expect(try await client.setMute(stream.started.session, muted: true).state.actor == "olga")
      stream.finish()
      while try await stream.receive() != nil {}
    }
  }

  @Test func aRefusedInjectionHasAReason() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let client = SessionsClient(server: server.address, clientName: "olga")
      let error = await #expect(throws: Status.self) {
        let injection = try await client.injectSpeech(
          .with {
            $0.name = stream.started.session
            $0.injectionID = "bell"
          })
        try await injection.send(text: "Hello.")
        _ = try await injection.finish()
      }
      #expect(error?.code == .failedPrecondition, "\(String(describing: error))")
      stream.cancel()
    }
  }
}
