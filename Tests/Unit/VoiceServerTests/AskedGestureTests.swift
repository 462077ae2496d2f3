import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient

/// Headset buttons, with a session that asks its media client.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct AskedGestureTests {
  /// The policy ASK, with a timeout of one minute.
  private static let asking = Anechoic_V1_Start.mediaClock().with {
    $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
    $0.config.mute.gesturePolicy = .ask
    $0.config.mute.gestureDecisionTimeout.seconds = 60
  }

  @Test(arguments: [true, false])
  func theMediaClientDecides(accept: Bool) async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, Self.asking) { client, steering in
        let name = client.session
        try await steering.waitForFrames(of: name)
        let watch = try await steering.begunWatch(name)
        // Two clients report the same press.
        async let first = server.steering(as: "lamp").reportMuteGesture(name, id: "press")
        let request = try await watch.event { !$0.muteGestureRequested.gestureID.isEmpty }
        #expect(request.muteGestureRequested.proposedMuted)
        #expect(request.muteGestureRequested.decideWithin.seconds == 60)
        async let second = server.steering(as: "other lamp").reportMuteGesture(name, id: "press")
        client.submit(.decision("press", accept: accept))
        let answers = try await [first, second]
        #expect(answers[0] == answers[1])
        #expect(answers[0].outcome == (accept ? .applied : .rejected))
        #expect(answers[0].state.muted == accept && answers[0].chimeInPlayback == accept)
        #expect(answers[0].state.actor == (accept ? "lamp" : "ipv4:127.0.0.1"))
        try await client.waitForFrames(more: 30)
        // A second decision is refused and changes nothing.
        client.submit(.decision("press", accept: !accept))
        try await client.waitForFrames(more: 5)
        #expect(try await steering.get(name).mute.muted == accept)
      }
      let asked = recording.events.filter { !$0.muteGestureRequested.gestureID.isEmpty }
      let resolved = recording.events.filter { !$0.muteGestureResolved.gestureID.isEmpty }
      #expect(asked.count == 1 && resolved.count == 1)
      #expect(recording.playback.contains { $0 != 0 } == accept)
      #expect(recording.results.map(\.refusal.reason) == ["", "GESTURE_DECIDED"])
    }
  }

  @Test(arguments: [false, true], [false, true])
  func whereNobodyDecidesTheTimeDoes(rejecting: Bool, isSilent: Bool) async throws {
    try await TestServer.run { server in
      let start = Self.asking.with {
        $0.config.mute.gestureDecisionTimeout = Google_Protobuf_Duration(nanos: 200_000_000)
        $0.config.mute.rejectGestureOnTimeout = rejecting
      }
      func check(_ answer: Anechoic_V1_ReportMuteGestureResponse) {
        #expect(answer.outcome == .timedOut && answer.state.muted == !rejecting)
        #expect(answer.chimeInPlayback == !rejecting)
      }
      guard isSilent else {
        let recording = try await RunningClient.run(server, start) { client, steering in
          try await steering.waitForFrames(of: client.session)
          check(try await steering.reportMuteGesture(client.session, id: "1"))
        }
        let events = recording.events.filter {
          !$0.muteGestureRequested.gestureID.isEmpty || !$0.muteGestureResolved.gestureID.isEmpty
        }
        // The media clock measures the timeout: 200 ms of audio are 3,200 samples.
        let waited = (events.last?.microphoneSample ?? 0) - (events.first?.microphoneSample ?? 0)
        #expect((3200...3360).contains(waited), "\(waited)")
        return
      }
      // The media client has stopped, so its clock stands still. The reporter gets an answer
      // nevertheless.
      let stream = try await server.client.process(start)
      let steering = server.steering(as: "olga")
      try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
      try await steering.waitForFrames(of: stream.started.session)
      check(try await steering.reportMuteGesture(stream.started.session, id: "1"))
      stream.cancel()
    }
  }

  @Test func aReporterThatHangsUpTakesNothingBack() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, Self.asking) { client, steering in
        let name = client.session
        try await steering.waitForFrames(of: name)
        let watch = try await steering.begunWatch(name)
        let report = Task {
          try await server.steering(as: "lamp").reportMuteGesture(name, id: "press")
        }
        _ = try await watch.event { !$0.muteGestureRequested.gestureID.isEmpty }
        report.cancel()
        let hungUp = await #expect(throws: Status.self) { try await report.value }
        #expect(hungUp?.code == .cancelled)
        client.submit(.decision("press", accept: true))
        let resolved = try await watch.event { !$0.muteGestureResolved.gestureID.isEmpty }
        #expect(resolved.muteGestureResolved.state.actor == "lamp")
        // A second report later gets the same outcome.
        let again = try await steering.reportMuteGesture(name, id: "press")
        #expect(again.outcome == .applied && again.state.muted)
      }
      #expect(recording.endReason == .clientClosed && recording.hasContiguousEvents)
    }
  }

  @Test func moreThanCanWaitAreRefusedAndTheOthersAnswered() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await RunningClient.run(server, Self.asking) { client, steering in
        let name = client.session
        try await steering.waitForFrames(of: name)
        let outcomes = try await withThrowingTaskGroup { group in
          for index in 0..<12 {
            group.addTask { () -> String in
              do {
                let answer = try await server.steering(as: "lamp \(index)").reportMuteGesture(
                  name, id: "\(index)", muted: true)
                return "\(answer.outcome)"
              } catch let status as Status {
                return status.reason ?? "\(status)"
              }
            }
          }
          var refused: [String] = []
          while refused.count < 4, let outcome = try await group.next() { refused.append(outcome) }
          #expect(refused.allSatisfy { $0 == "TOO_MANY_GESTURES" }, "\(refused)")
          for index in 0..<12 { client.submit(.decision("\(index)", accept: true)) }
          return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(outcomes == [String](repeating: "applied", count: 8))
      }
      #expect(recording.events.filter { $0.muteChanged.hasState }.count == 1)
    }
  }
}

extension Anechoic_V1_Control {
  fileprivate static func decision(_ id: String, accept: Bool) -> Self {
    .with {
      $0.decideMuteGesture.gestureID = id
      $0.decideMuteGesture.accept = accept
    }
  }
}
