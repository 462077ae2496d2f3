import AnechoicAPI
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Fields of a start that can have no effect in its session.
@Suite(.timeLimit(.minutes(1)))
struct IdleFieldTests {
  private static let mono = Anechoic_V1_AudioFormat.with {
    ($0.encoding, $0.sampleRateHz, $0.channelCount) = (.pcmS16Le, 16_000, 1)
  }

  private static let idle: [(field: String, reason: String, fill: Fill)] = [
    (
      "config.other_audio_ducking", "without inputs.other_audio",
      { $0.config.otherAudioDucking.level = .max }
    ),
    (
      "config.voice_activity_detection.far_end_enabled", "without inputs.far_end",
      { $0.config.voiceActivityDetection.farEndEnabled = true }
    ),
    (
      "config.spatial_audio", "without outputs.playback of 2 channels",
      { $0.config.spatialAudio.enabled = true }
    ),
    (
      "config.spatial_audio", "without inputs.far_ends",
      {
        $0.config.spatialAudio.enabled = true
        $0.outputs.playback = mono.with { $0.channelCount = 2 }
      }
    ),
    (
      "config.spatial_audio.sources[0]", "has no \"bob\"",
      { $0.config.spatialAudio.sources = [.with { $0.farEndID = "bob" }] }
    ),
    ("echo_path_wanted", "without inputs.reference", { $0.echoPathWanted = true }),
    (
      "config.voice_processing.echo_cancellation", "without inputs.reference",
      { $0.config.voiceProcessing.echoCancellation.enabled = true }
    ),
  ]

  private typealias Fill = @Sendable (inout Anechoic_V1_Start) -> Void

  /// Returns the warnings of a session that starts so.
  private static func warnings(_ server: TestServer, _ fill: Fill) async throws -> [String] {
    let stream = try await server.client.process(Anechoic_V1_Start.mediaClock().with(fill))
    stream.cancel()
    return stream.started.warnings
  }

  @Test func aFieldWithoutEffectIsNamedWithTheReason() async throws {
    try await TestServer.run { server in
      for (field, reason, fill) in Self.idle {
        let warnings = try await Self.warnings(server, fill)
        #expect(warnings.count == 1, "\(warnings)")
        #expect(warnings[0].hasPrefix("\(field): has no effect ") && warnings[0].contains(reason))
      }
    }
  }

  @Test func aFieldThatMayHaveAnEffectIsNotNamed() async throws {
    try await TestServer.run { server in
      #expect(try await Self.warnings(server) { _ in } == [])
      let warnings = try await Self.warnings(server) {
        $0.inputs.farEnds = [
          .with {
            $0.farEndID = "bob"
            $0.format = Self.mono
          }
        ]
        $0.inputs.otherAudio = Self.mono
        $0.outputs.playback = Self.mono.with { $0.channelCount = 2 }
        $0.config.spatialAudio.enabled = true
        $0.config.spatialAudio.sources = [.with { $0.farEndID = "bob" }]
        $0.config.otherAudioDucking.level = .max
        $0.config.voiceActivityDetection.farEndEnabled = true
        $0.config.voiceProcessing.echoCancellation.enabled = true
        $0.echoPathWanted = true
      }
      #expect(warnings == [])
    }
  }
}

extension Message {
  /// Returns a copy that is changed.
  fileprivate func with(_ change: (inout Self) -> Void) -> Self {
    var copy = self
    change(&copy)
    return copy
  }
}
