import AnechoicAPI
import AudioCore
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient

/// The ways in which a client can end a call.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct CallEndTests {
  @Test func aCallThatEndsBeforeItsStartIsRefused() async throws {
    try await TestServer.run { server in
      let status = try await server.status(after: [[UInt8]](), halfClosing: true)
      try status.expect(.invalidArgument, field: "start")
    }
  }

  @Test func aSessionThatEndsRightAfterItsStartIsComplete() async throws {
    try await TestServer.run { server in
      let recording = try await server.record(.mediaClock(), [])
      #expect(recording.processed.isEmpty && recording.events.count == 1)
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  @Test func anIncompleteFrameComesOutAtTheEnd() async throws {
    try await TestServer.run { server in
      let recording = try await server.record(.mediaClock(), [.microphone([1, 0])])
      #expect(recording.processed.count == 2 && recording.frames.count == 1)
    }
  }

  @Test func aClientThatVanishesLeavesNothingBehind() async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for pacing in [Anechoic_V1_Pacing.realTime, .mediaClock] {
          var client: VoiceProcessingClient? = VoiceProcessingClient(server: server.address)
          let start = Anechoic_V1_Start.mediaClock(.widest).with { $0.pacing = pacing }
          var stream = try await client?.process(start)
          for request in Anechoic_V1_ProcessRequest.audio(
            microphone: AudioFormat.widest.babble(200), .widest)
          {
            try await stream?.send(request.audio)
          }
          #expect(try await server.client.capabilities().sessionsActive == 2)
          stream = nil
          client = nil
          try await server.sessionsActive(become: 1)
        }
      }
    }
  }

  @Test func aDeadlineEndsASession() async throws {
    try await TestServer.run { server in
      let call = server.call(timeout: .seconds(1))
      try await call.send(Anechoic_V1_ProcessRequest.start(.mediaClock()).serializedBytes())
      await #expect(throws: Status.self) { while try await call.receive() != nil {} }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test func aServerThatStopsEndsItsSessions() async throws {
    let stream = try await TestServer.run { server in
      try await server.client.process(.mediaClock())
    }
    let error = await #expect(throws: Status.self) { while try await stream.receive() != nil {} }
    #expect(error?.code == .unavailable || error?.code == .cancelled)
  }
}
