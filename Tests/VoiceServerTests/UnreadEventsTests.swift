import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// Media clients that read nothing and send nothing, while other clients cause events.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct UnreadEventsTests {
  @Test(arguments: [Anechoic_V1_Pacing.realTime, .mediaClock])
  func theStallDeadlineRunsWhoeverCausedTheEvents(pacing: Anechoic_V1_Pacing) async throws {
    try await TestServer.run {
      $0.slowConsumerTimeout = .seconds(1)
      $0.stalledConsumerTimeout = .seconds(1)
    } _: { server in
      let client = try StubbornClient(server, window: 0)
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.sessionID = "call-1"
        $0.pacing = pacing
      }
      try client.send([.start(start)], halfClosing: false)
      try await server.sessionsActive(become: 1)
      try await toggleMute(of: "sessions/call-1", on: server, atMost: .seconds(10))
      try await server.sessionsActive(become: 0)
      let trailers = try await client.read().trailers
      #expect(trailers.contains("has not read"), "\(trailers)")
    }
  }

  /// Toggles mute until the session is gone.
  private func toggleMute(
    of session: String, on server: TestServer, atMost limit: Duration
  ) async throws {
    let steering = server.steering(as: "olga")
    let end = ContinuousClock.now + limit
    var muted = true
    while try await refusal({ _ = try await steering.setMute(session, muted: muted) })?.reason
      != "NO_SESSION"
    {
      try #require(ContinuousClock.now < end, "\(session) never ended")
      muted.toggle()
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
