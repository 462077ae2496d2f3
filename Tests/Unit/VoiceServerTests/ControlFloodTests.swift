import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Too many controls, late controls, and controls that are too large.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ControlFloodTests {
  private static let microphone = AudioFormat.s16.babble(3000)
  /// A control that changes nothing.
  private static let idle = Anechoic_V1_Control.with { $0.setMute.muted = false }

  @Test func aFloodInTheStreamIsRefusedAndTheAudioIsTheSame() async throws {
    let audio = Anechoic_V1_ProcessRequest.audio(microphone: Self.microphone, .s16)
    let flood = (UInt64(1)...10_000).map { id in
      Anechoic_V1_ProcessRequest.control(Self.idle.with { $0.controlID = id })
    }
    try await TestServer.run { server in
      let plain = try await server.record(.mediaClock(), audio).processed
      let recording = try await Bystander.watching(server) {
        try await server.record(
          .mediaClock(), audio.prefix(50) + flood + audio.dropFirst(50))
      }
      #expect(recording.processed == plain && recording.endReason == .clientClosed)
      #expect(recording.results.map(\.controlID) == Array(1...10_000))
      let refused = recording.results.filter(\.hasRefusal)
      #expect(refused.count == 9800)
      #expect(refused.allSatisfy { $0.refusal.code == StatusCode.resourceExhausted.rawValue })
      #expect(refused.allSatisfy { $0.refusal.reason == "TOO_MANY_CONTROLS" })
    }
  }

  @Test func aFloodOfOthersIsRefusedAndTheMediaClientNotesNothing() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await RunningClient.run(server, microphone: Self.microphone) {
        client, _ in
        let began = ContinuousClock.now
        let refused = try await withThrowingTaskGroup { group in
          for worker in 0..<10 {
            group.addTask { try await Self.flood(client.session, server, "\(worker)") }
          }
          let pace = Metronome(every: .milliseconds(10))
          for id in 1...20 {
            client.submit(Self.idle.with { $0.controlID = UInt64(id) })
            try await pace.beat(id)
          }
          return try await group.reduce(0, +)
        }
        try await client.waitForFrames(more: 5)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        // The shares of the clients may exceed the total by another 400.
        #expect(Double(10_000 - refused) <= 800 + 400 * seconds)
      }
      #expect(recording.results.map(\.controlID) == Array(1...20))
      #expect(recording.results.allSatisfy { !$0.hasRefusal })
      let sent = RemoteMuteTests.sent(recording.processed.count)
      let alone = try await server.record(.mediaClock(), microphone: sent)
      #expect(recording.processed == alone.processed && recording.endReason == .clientClosed)
    }
  }

  @Test func aClientBelowItsShareIsHeardThroughTheFloodOfOthers() async throws {
    try await TestServer.run(threads: 2) { server in
      _ = try await RunningClient.run(server, microphone: Self.microphone) { client, _ in
        let session = client.session
        try await withThrowingTaskGroup { group in
          for worker in 0..<3 {
            group.addTask { _ = try await Self.flood(session, server, "flood \(worker)") }
          }
          let steering = server.steering(as: "olga")
          let pace = Metronome(every: .milliseconds(20))
          for change in 0..<60 {
            _ = try await steering.setMute(session, muted: change.isMultiple(of: 2))
            try await pace.beat(change + 1)
          }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test func controlsForSamplesAfterTheEndAreAnswered() async throws {
    try await TestServer.run { server in
      let late = Anechoic_V1_ProcessRequest.control(
        Self.idle.with {
          $0.controlID = 7
          $0.atSample = 1_000_000
        })
      let recording = try await server.record(
        .mediaClock(), [late] + Anechoic_V1_ProcessRequest.audio(microphone: Self.microphone, .s16))
      #expect(recording.results.map(\.controlID) == [7])
      #expect(recording.results.first?.refusal.code == StatusCode.failedPrecondition.rawValue)
      #expect(recording.results.first?.refusal.reason == "SESSION_ENDED")
      #expect(recording.endReason == .clientClosed)
    }
  }

  @Test func aControlOfAnySizeIsAnsweredAndEndsNothing() async throws {
    let long = String(repeating: "a", count: 1_000_000)
    let controls: [Anechoic_V1_Control] = [
      .with { $0.decideMuteGesture.gestureID = long },
      .with { $0.decideInjectionPermission.client = long },
      .with { $0.updateConfig.updateMask.paths = [long] },
      .with { $0.updateConfig.updateMask.paths = [String](repeating: "mute", count: 100_000) },
      .with { $0.updateConfig.config.spatialAudio.listenerProfile = long },
    ]
    let audio = Anechoic_V1_ProcessRequest.audio(microphone: Self.microphone, .s16)
    try await TestServer.run { server in
      let plain = try await server.record(.mediaClock(), audio).processed
      let recording = try await server.record(.mediaClock(), controls.map { .control($0) } + audio)
      #expect(recording.results.map(\.refusal.reason) == controls.map { _ in "TOO_LARGE" })
      #expect(recording.processed == plain && recording.endReason == .clientClosed)
    }
  }

  @Test func anOversizedRequestIsRefusedAndTheServerContinues() async throws {
    let long = String(repeating: "a", count: 1_000_000)
    try await TestServer.run { server in
      _ = try await RunningClient.run(server) { client, steering in
        let name = client.session
        try await steering.waitForFrames(of: name)
        let statuses = [
          try await refusal { _ = try await steering.reportMuteGesture(name, id: long) },
          try await refusal {
            _ = try await steering.requestInjectionPermission(name, usageDescription: long)
          },
          try await refusal {
            _ = try await steering.update(
              .with {
                $0.name = name
                $0.labels = ["a": long]
              }, mask: ["labels"])
          },
          try await refusal {
            _ = try await steering.update(.with { $0.name = name }, mask: [long])
          },
          try await refusal { _ = try await server.steering(as: "olga").get("sessions/" + long) },
        ]
        #expect(
          statuses.map { $0?.code }
            == [StatusCode](repeating: .resourceExhausted, count: 5))
        // A control above the limit.
        let status = try await refusal {
          _ = try await server.ask(RPC.getSession, [UInt8](repeating: 10, count: 5 << 20))
        }
        #expect(status?.code == .resourceExhausted, "\(String(describing: status))")
        #expect(try await steering.get(name).name == name)
      }
    }
  }

  /// Returns how many of a thousand controls were refused.
  private static func flood(
    _ session: String, _ server: TestServer, _ client: String
  ) async throws -> Int {
    let steering = server.steering(as: client)
    var refused = 0
    for _ in 0..<1000 {
      let status = try await refusal { _ = try await steering.setMute(session, muted: false) }
      guard let status else { continue }
      #expect(status.code == .resourceExhausted && status.reason == "TOO_MANY_CONTROLS")
      #expect(try status.detail(Google_Rpc_RetryInfo.self)?.retryDelay.seconds == 1)
      refused += 1
    }
    return refused
  }
}

extension Anechoic_V1_Control {
  fileprivate func with(_ change: (inout Anechoic_V1_Control) -> Void) -> Anechoic_V1_Control {
    var changed = self
    change(&changed)
    return changed
  }
}
