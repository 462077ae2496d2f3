import AnechoicAPI
import AudioCore
import SwiftProtobuf
import Testing

/// Changes of the configuration during a session.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct LiveUpdateTests {
  private typealias Request = Anechoic_V1_ProcessRequest
  private let microphone = AudioFormat.s16.babble(1000)

  /// A field, its new value, and whether ConfigChanged shows the value.
  struct Field: Sendable, CustomTestStringConvertible {
    let path: String
    let set: @Sendable (inout Anechoic_V1_SessionConfig) -> Void
    let isSeen: @Sendable (Anechoic_V1_SessionConfig) -> Bool

    var testDescription: String { path }
  }

  private static let fields: [Field] = [
    Field(path: "voice_processing.bypassed") {
      $0.voiceProcessing.bypassed = true
    } isSeen: {
      $0.voiceProcessing.bypassed
    },
    Field(path: "voice_processing.echo_cancellation") {
      $0.voiceProcessing.echoCancellation.enabled = false
    } isSeen: {
      !$0.voiceProcessing.echoCancellation.enabled
    },
    Field(path: "voice_processing.noise_suppression") {
      $0.voiceProcessing.noiseSuppression = .with {
        $0.enabled = true
        $0.level = .veryHigh
      }
    } isSeen: {
      $0.voiceProcessing.noiseSuppression.level == .veryHigh
    },
    Field(path: "voice_processing.gain_control") {
      $0.voiceProcessing.gainControl = .with {
        $0.enabled = true
        $0.targetLevelDbfs = 20
      }
    } isSeen: {
      $0.voiceProcessing.gainControl.targetLevelDbfs == 20
    },
    Field(path: "voice_processing.high_pass_filter") {
      $0.voiceProcessing.highPassFilter = false
    } isSeen: {
      $0.voiceProcessing.hasHighPassFilter && !$0.voiceProcessing.highPassFilter
    },
    Field(path: "preferred_mic_mode") {
      $0.preferredMicMode = .wideSpectrum
    } isSeen: {
      $0.preferredMicMode == .wideSpectrum && !$0.voiceProcessing.noiseSuppression.enabled
    },
    Field(path: "voice_activity_detection.enabled") {
      $0.voiceActivityDetection.enabled = true
    } isSeen: {
      $0.voiceActivityDetection.enabled
    },
    Field(path: "voice_activity_detection.hangover") {
      $0.voiceActivityDetection.hangover = Google_Protobuf_Duration(seconds: 1)
    } isSeen: {
      $0.voiceActivityDetection.hangover.seconds == 1
    },
    Field(path: "turn_detection.longest_pause") {
      $0.turnDetection.longestPause = Google_Protobuf_Duration(seconds: 3)
    } isSeen: {
      $0.turnDetection.longestPause.seconds == 3
    },
  ]

  @Test(arguments: fields)
  func aFieldOfTheMaskIsTakenAndNoOther(field: Field) async throws {
    try await TestServer.run { server in
      let started = try await server.record(.mediaClock().withoutInjection, []).started.config
      // The update also has a value that the mask does not name. The value must be ignored.
      let update = Request.update(5, [field.path], at: 8100) { config in
        config.voiceActivityDetection.startWindow = Google_Protobuf_Duration(seconds: 2)
        field.set(&config)
      }
      let recording = try await record(server, [update])
      #expect(recording.results.map(\.controlID) == [5])
      #expect(recording.results.first?.hasRefusal == false)
      #expect(recording.results.first?.appliedAtSample == 8100)
      let event = try #require(recording.events.first)
      #expect(event.microphoneSample == 8100)
      let changed = event.configChanged.config
      #expect(field.isSeen(changed) && !field.isSeen(started))
      #expect(changed.voiceActivityDetection.startWindow.nanos == 100_000_000)
      #expect(recording.hasContiguousEvents && recording.endReason == .clientClosed)
    }
  }

  @Test func theAudioChangesFromTheSampleOnAndNotBefore() async throws {
    try await TestServer.run { server in
      let plain = try await record(server, []).processed
      let update = Request.update(1, ["preferred_mic_mode"], at: 8000) {
        $0.preferredMicMode = .wideSpectrum
      }
      let recording = try await record(server, [update])
      #expect(recording.processed.prefix(16_000) == plain.prefix(16_000))
      #expect(recording.processed.dropFirst(16_000) != plain.dropFirst(16_000))
      #expect(try await record(server, [update]).processed == recording.processed)
      guard case .micModeChanged(let change) = recording.events.dropFirst().first?.event else {
        Issue.record("no MicModeChanged in \(recording.events)")
        return
      }
      #expect(change.preferred == .wideSpectrum && change.active == .wideSpectrum)
      #expect(change.reason.isEmpty)
    }
  }

  @Test func aPartThatIsTakenBackFollowsItsModeAgain() async throws {
    try await TestServer.run { server in
      let path = "voice_processing.noise_suppression"
      let off = Request.update(1, [path], at: 1600) {
        $0.voiceProcessing.noiseSuppression.enabled = false
      }
      let recording = try await record(server, [off, .update(2, [path], at: 3200)])
      #expect(recording.results.allSatisfy { !$0.hasRefusal })
      let configs = recording.events.prefix(2).map(\.configChanged.config.voiceProcessing)
      #expect(configs.map(\.noiseSuppression.enabled) == [false, true])
    }
  }

  @Test func controlsComeInTheOrderOfTheirSamples() async throws {
    let modes: [(UInt64, Int64, Anechoic_V1_MicMode)] = [
      (1, 4800, .voiceIsolation), (2, 1600, .wideSpectrum), (3, -5, .voiceIsolation),
    ]
    try await TestServer.run { server in
      let recording = try await record(
        server,
        modes.map { id, sample, mode in
          .update(id, ["preferred_mic_mode"], at: sample) { $0.preferredMicMode = mode }
        })
      #expect(recording.results.map(\.controlID) == [3, 2, 1])
      #expect(recording.results.map(\.appliedAtSample) == [0, 1600, 4800])
      #expect(recording.events.count == 7 && recording.hasContiguousEvents)
    }
  }

  @Test func aRefusedControlChangesNothingAndTheSessionContinues() async throws {
    let refused: [(Request, code: Int32, names: String)] = [
      (.update(0, []), 3, "control.update_config.update_mask"),
      (.update(1, ["no_such_field"]), 3, "no_such_field"),
      (.update(2, ["preferred_mic_mode", "voice_processing.nonsense"]), 3, "nonsense"),
      (
        .update(3, ["voice_processing.gain_control"]) {
          $0.voiceProcessing.gainControl.targetLevelDbfs = 32
        }, 3, "control.update_config.config.voice_processing.gain_control.target_level_dbfs"
      ),
      (
        .update(4, ["spatial_audio"]) { $0.spatialAudio.listenerProfile = "mine" }, 5,
        "control.update_config.config.spatial_audio.listener_profile"
      ),
      (.control(.with { $0.controlID = 5 }), 3, "control"),
      (
        .control(.with { $0.setMute = .with { $0.ifGeneration = 1 } }), 10, "if_generation"
      ),
      (.control(.with { $0.decideMuteGesture = .init() }), 5, "decide_mute_gesture"),
      (
        .control(.with { $0.decideInjectionPermission = .init() }), 3,
        "decide_injection_permission.client"
      ),
      (.control(.with { $0.clearPlayback_p = .init() }), 9, "clear_playback"),
    ]
    try await TestServer.run { server in
      let plain = try await record(server, []).processed
      for (request, code, names) in refused {
        let recording = try await record(server, [request])
        let refusal = try #require(recording.results.first?.refusal)
        #expect(refusal.code == code && refusal.message.contains(names), "\(refusal)")
        #expect(!refusal.reason.isEmpty && refusal.reason == refusal.reason.uppercased())
        #expect(recording.results.first?.controlID == request.control.controlID)
        #expect(recording.processed == plain && recording.events.count == 1)
      }
    }
  }

  private func record(_ server: TestServer, _ controls: [Request]) async throws -> Recording {
    try await server.record(
      .mediaClock().withoutInjection, controls + Request.audio(microphone: microphone, .s16))
  }
}
