import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceServer

/// Media clients that neither read nor send while other clients cause events.
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
      _ = try await toggleMute(of: "sessions/call-1", on: server, pause: .milliseconds(10))
      let trailers = try await client.read().trailers
      #expect(trailers.contains("has not read"), "\(trailers)")
      try await server.sessionsActive(become: 0)
    }
  }

  @Test(arguments: [Anechoic_V1_Pacing.realTime, .mediaClock])
  func atMostTheLimitOfEventsWaits(pacing: Anechoic_V1_Pacing) async throws {
    try await TestServer.run {
      $0.unreadLimit.messages = 150
    } _: { server in
      try await Bystander.watching(server) {
        let client = try StubbornClient(server, window: 0)
        let start = Anechoic_V1_Start.mediaClock().with {
          $0.sessionID = "call-1"
          $0.pacing = pacing
        }
        try client.send([.start(start)], halfClosing: false)
        let events = try await toggleMute(of: "sessions/call-1", on: server, pause: .zero)
        // The start is in flight. Each change is one event, and the event after the last one does
        // not fit.
        #expect(events == 151)
        let trailers = try await client.read().trailers
        #expect(trailers.contains("more than 150 of them"), "\(trailers)")
        try await server.sessionsActive(become: 1)
      }
    }
  }

  /// One request may cause more output than may wait. The session makes the rest when its client
  /// has read.
  @Test func muchOutputOfOneRequestWaitsForItsClient() async throws {
    try await TestServer.run {
      $0.unreadLimit.messages = 300
    } _: { server in
      let late = Anechoic_V1_ProcessRequest.with {
        $0.audio.microphone.samples = Data(AudioFormat.s16.babble(10))
        $0.audio.microphone.firstSample = 16_000 * 9
      }
      let recording = try await server.record(.mediaClock(), [late])
      #expect(recording.processed.count == AudioFormat.s16.bytes(9010))
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  /// Waits for a session and toggles mute until the session is gone. Returns the number of
  /// successful toggles.
  private func toggleMute(
    of session: String, on server: TestServer, pause: Duration
  ) async throws -> Int {
    let steering = server.steering(as: "olga")
    let end = ContinuousClock.now + .seconds(20)
    while try await refusal({ _ = try await steering.get(session) }) != nil {
      try #require(ContinuousClock.now < end, "\(session) never started")
    }
    var count = 0
    while true {
      let refusal = try await refusal {
        _ = try await steering.setMute(session, muted: count.isMultiple(of: 2))
      }
      if refusal?.reason == "NO_SESSION" { return count }
      if refusal == nil { count += 1 }
      try #require(ContinuousClock.now < end, "\(session) never ended")
      try await realTime(pause)
    }
  }
}
