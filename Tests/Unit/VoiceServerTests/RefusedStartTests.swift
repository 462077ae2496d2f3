import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// Invalid starts and their statuses.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RefusedStartTests {
  /// A start with one invalid field.
  struct Fault: Sendable, CustomTestStringConvertible {
    let field: String
    var code = StatusCode.invalidArgument
    let change: @Sendable (inout Anechoic_V1_Start) -> Void

    var testDescription: String { field }
  }

  private static let invalid: [Fault] = [
    Fault(field: "start.session_id") { $0.sessionID = "no spaces" },
    Fault(field: "start.session_id") { $0.sessionID = "a/b" },
    Fault(field: "start.session_id") { $0.sessionID = "tür" },
    Fault(field: "start.session_id") { $0.sessionID = String(repeating: "a", count: 64) },
    Fault(field: "start.inputs.microphone") { $0.clearInputs() },
    Fault(field: "start.inputs.microphone.encoding") {
      $0.inputs.microphone.encoding = .unspecified
    },
    Fault(field: "start.inputs.microphone.encoding") {
      $0.inputs.microphone.encoding = .UNRECOGNIZED(99)
    },
    Fault(field: "start.inputs.reference.encoding") {
      $0.inputs.reference = .with { $0.sampleRateHz = 16000 }
    },
    Fault(field: "start.outputs.processed.sample_rate_hz") {
      $0.outputs.processed = $0.inputs.microphone
      $0.outputs.processed.sampleRateHz = 11025
    },
    Fault(field: "start.pacing") { $0.pacing = .UNRECOGNIZED(7) },
    Fault(field: "start.stats_interval") { $0.statsInterval.nanos = 99_000_000 },
    Fault(field: "start.stats_interval") { $0.statsInterval.seconds = -1 },
    Fault(field: "start.stats_interval") { $0.statsInterval.seconds = .max },
    Fault(field: "start.stats_interval") { $0.statsInterval.nanos = 2_000_000_000 },
    Fault(field: "start.stats_interval") { $0.statsInterval.nanos = .min },
    Fault(field: "start.config.preferred_mic_mode") {
      $0.config.preferredMicMode = .UNRECOGNIZED(4)
    },
    Fault(field: "start.config.voice_processing.echo_cancellation.suppression") {
      $0.config.voiceProcessing.echoCancellation.suppression = .veryHigh
    },
    Fault(field: "start.config.voice_processing.noise_suppression.level") {
      $0.config.voiceProcessing.noiseSuppression.level = .UNRECOGNIZED(5)
    },
    Fault(field: "start.config.voice_processing.gain_control.target_level_dbfs") {
      $0.config.voiceProcessing.gainControl.targetLevelDbfs = 32
    },
    Fault(field: "start.inputs.microphone_pair") {
      $0.inputs.microphonePair.spacingMillimeters = 20
      $0.inputs.microphonePair.pattern = .cardioid
    },
    Fault(field: "start.inputs.microphone_pair.pattern") {
      $0.inputs.microphone.channelCount = 2
      $0.inputs.microphonePair.spacingMillimeters = 20
    },
    Fault(field: "start.inputs.microphone_pair.spacing_millimeters") {
      $0.inputs.microphone.channelCount = 2
      $0.inputs.microphonePair.pattern = .stereo
      $0.inputs.microphonePair.spacingMillimeters = .nan
    },
    Fault(field: "start.inputs.other_audio") { $0.inputs.otherAudio = $0.inputs.microphone },
    Fault(field: "start.inputs.far_end.channel_count") {
      $0.inputs.farEnd = $0.inputs.microphone
      $0.inputs.farEnd.channelCount = 3
    },
    Fault(field: "start.outputs.playback.sample_rate_hz") {
      $0.outputs.playback = $0.inputs.microphone
      $0.outputs.playback.sampleRateHz = 11025
    },
    Fault(field: "start.outputs.recognizer.sample_rate_hz") {
      $0.outputs.recognizer = $0.inputs.microphone
      $0.outputs.recognizer.sampleRateHz = 11025
    },
    Fault(field: "start.outputs.raw.encoding") {
      $0.outputs.raw = .with { $0.sampleRateHz = 16000 }
    },
    Fault(field: "start.outputs.chunk_duration") {
      $0.outputs.raw = Anechoic_V1_AudioFormat(.opus(.hz16000))
      $0.outputs.chunkDuration = Google_Protobuf_Duration(seconds: 0, nanos: 120_000_000)
    },
    Fault(field: "start.echo_path_hint.response") {
      $0.echoPathHint = EchoPathTests.path { $0.response = Data(count: (192 << 10) + 2) }
    },
    Fault(field: "start.echo_path_hint.sample_rate_hz") {
      $0.echoPathHint = EchoPathTests.path { $0.sampleRateHz = 11_025 }
    },
    Fault(field: "start.echo_path_hint.channel_count") {
      $0.echoPathHint = EchoPathTests.path { $0.channelCount = 3 }
    },
    Fault(field: "start.echo_path_hint.lag") {
      $0.echoPathHint = EchoPathTests.path { $0.lag.seconds = 2 }
    },
    Fault(field: "start.echo_path_hint.held") {
      $0.echoPathHint = EchoPathTests.path { $0.held.nanos = -1 }
    },
    Fault(field: "start.echo_path_hint.response") {
      $0.echoPathHint = EchoPathTests.path { $0.response = Data(repeating: 0xff, count: 100) }
    },
    Fault(field: "start.echo_path_hint.response") {
      $0.echoPathHint = EchoPathTests.path { $0.response = Data(repeating: 0, count: 99_999) }
    },
    Fault(field: "start.echo_path_hint.response") {
      $0.echoPathHint = EchoPathTests.path { $0.response = Data(repeating: 0, count: 600 << 10) }
    },
    Fault(field: "start.voiceprint.encoder") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.encoder = "" }
    },
    Fault(field: "start.voiceprint.encoder") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.encoder = String(repeating: "a", count: 64) }
    },
    Fault(field: "start.voiceprint.values") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.values = Data() }
    },
    Fault(field: "start.voiceprint.values") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.values = Data([1, 2, 3]) }
    },
    Fault(field: "start.voiceprint.values") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.values = Data(repeating: 0, count: 2050) }
    },
    Fault(field: "start.voiceprint.values") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.values = EnrollmentTests.halves([.nan, 1]) }
    },
    Fault(field: "start.voiceprint.values") {
      $0.voiceprint = EnrollmentTests.voiceprint { $0.values = EnrollmentTests.halves([1, 1]) }
    },
    Fault(field: "start.config.preferred_injection_mode") {
      $0.config.preferredInjectionMode = .UNRECOGNIZED(3)
    },
    Fault(field: "start.config.other_audio_ducking.level") {
      $0.config.otherAudioDucking.level = .UNRECOGNIZED(1)
    },
    Fault(field: "start.config.mute.gesture_policy") {
      $0.config.mute.gesturePolicy = .UNRECOGNIZED(9)
    },
    Fault(field: "start.config.mute.gesture_decision_timeout") {
      $0.config.mute.gestureDecisionTimeout = Google_Protobuf_Duration(seconds: 61)
    },
    Fault(field: "start.labels") { $0.labels = ["": "nameless"] },
    Fault(field: "start.labels") { $0.labels = ["long": String(repeating: "x", count: 256)] },
    Fault(field: "start.config.voice_activity_detection.start_window") {
      $0.config.voiceActivityDetection.startWindow = Google_Protobuf_Duration(seconds: 11)
    },
    Fault(field: "start.config.voice_activity_detection.hangover") {
      $0.config.voiceActivityDetection.hangover = Google_Protobuf_Duration(seconds: 0)
    },
    Fault(field: "start.config.turn_detection.end_probability") {
      $0.config.turnDetection.endProbability = 0
    },
    Fault(field: "start.config.turn_detection.end_probability") {
      $0.config.turnDetection.endProbability = .nan
    },
    Fault(field: "start.config.turn_detection.longest_pause") {
      $0.config.turnDetection.longestPause = Google_Protobuf_Duration(
        seconds: 0, nanos: 100_000_000)
    },
    Fault(field: "start.config.turn_detection.longest_pause") {
      $0.config.turnDetection.longestPause = Google_Protobuf_Duration(seconds: 11)
    },
  ]

  private static let rates: [Fault] = [0, 11025, 22050, 96000, UInt32.max].map { rate in
    Fault(field: "start.inputs.microphone.sample_rate_hz") {
      $0.inputs.microphone.sampleRateHz = rate
    }
  }

  private static let channelCounts: [Fault] = [0, 3, UInt32.max].map { count in
    Fault(field: "start.inputs.microphone.channel_count") {
      $0.inputs.microphone.channelCount = count
    }
  }

  private static let chunkDurations: [Fault] = [0, 5, 15, 130, -10].map { milliseconds in
    Fault(field: "start.outputs.chunk_duration") {
      $0.outputs.chunkDuration = Google_Protobuf_Duration(
        seconds: 0, nanos: Int32(milliseconds * 1_000_000))
    }
  }

  private static let profiles: [Fault] = [
    Fault(field: "start.config.spatial_audio.listener_profile", code: .notFound) {
      $0.config.spatialAudio.listenerProfile = "mine"
    },
    Fault(field: "start.config.spatial_audio.listener_profile") {
      $0.config.spatialAudio.listenerProfile = "../mine"
    },
  ]

  @Test(arguments: [invalid, rates, channelCounts, chunkDurations, profiles])
  func aWrongStartIsRefusedWithItsFieldAndDisturbsNobody(faults: [Fault]) async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for fault in faults {
          let start = Anechoic_V1_Start.mediaClock().with(fault.change)
          let status = try await server.status(after: [.start(start)])
          try status.expect(
            fault.code, field: fault.field,
            reason: fault.code == .notFound ? "NO_PROFILE" : "INVALID_FIELD")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test(arguments: [
    (Anechoic_V1_ProcessRequest(), "request: is empty; the first request must contain start"),
    (
      .with { $0.audio = .init() },
      "audio: came before start; the first request must contain start"
    ),
  ])
  func aFirstRequestWithoutAStartIsRefused(
    request: Anechoic_V1_ProcessRequest, message: String
  ) async throws {
    try await TestServer.run { server in
      let status = try await server.status(after: [request])
      #expect(status.code == .invalidArgument && status.message == message)
    }
  }

  @Test func anIDCanBeUsedOnce() async throws {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock().with { $0.sessionID = "Desk-1_a.b" }
      let first = try await server.client.process(start)
      #expect(first.started.session == "sessions/Desk-1_a.b")
      let status = try await server.status(after: [.start(start)])
      #expect(status.code == .alreadyExists && status.message.contains("start.session_id"))
      #expect(try status.detail(Google_Rpc_ErrorInfo.self)?.reason == "SESSION_EXISTS")
      first.finish()
      while try await first.receive() != nil {}
      // The id is free again when its session has ended.
      #expect(try await server.status(after: [.start(start)], halfClosing: true) == .ok)
    }
  }

  @Test func aFullServerSaysWhenToRetry() async throws {
    try await TestServer.run {
      $0.limits.sessions = 1
    } _: { server in
      try await Bystander.watching(server) {
        let status = try await server.status(after: [.start(.mediaClock())])
        #expect(status.code == .resourceExhausted)
        #expect(try status.detail(Google_Rpc_ErrorInfo.self)?.reason == "SERVER_FULL")
        #expect(try (status.detail(Google_Rpc_RetryInfo.self)?.retryDelay.seconds ?? 0) > 0)
      }
    }
  }
}
