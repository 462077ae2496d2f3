public import AnechoicAPI
internal import SwiftProtobuf

extension Anechoic_V1_Start {
  /// The most warnings of a start.
  private static let mostWarnings = 32

  /// The fields that can have no effect in the session, each with the reason. Its inputs and outputs
  /// never change, so a setting without its input or output has no effect, whatever is changed
  /// later.
  public var warnings: [String] {
    (idleProcessing + idlePlayback + idleSpatialAudio).prefix(Self.mostWarnings)
      .map { "\($0.path): has no effect \($0.reason)" }
  }

  /// A field, and the reason why it has no effect, as the end of a sentence.
  private typealias Idle = (path: String, reason: String)

  /// The fields of an echo that nothing can cause.
  private var idleProcessing: [Idle] {
    guard !inputs.hasReference, !outputs.hasPlayback else { return [] }
    let processing = config.voiceProcessing
    let fields = [
      (
        "config.voice_processing.echo_cancellation",
        processing.hasEchoCancellation && processing.echoCancellation.enabled
      ),
      ("echo_path_hint", hasEchoPathHint), ("echo_path_wanted", echoPathWanted),
    ]
    return fields.filter(\.1).map { ($0.0, "without inputs.reference or outputs.playback") }
  }

  /// The fields about what is played.
  private var idlePlayback: [Idle] {
    var idle: [Idle] = []
    if config.hasOtherAudioDucking, config.otherAudioDucking != .init(), !inputs.hasOtherAudio {
      idle.append(("config.other_audio_ducking", "without inputs.other_audio"))
    }
    if config.voiceActivityDetection.farEndEnabled, !inputs.hasFarEnd, inputs.farEnds.isEmpty {
      idle.append(
        (
          "config.voice_activity_detection.far_end_enabled",
          "without inputs.far_end or inputs.far_ends"
        ))
    }
    return idle
  }

  private var idleSpatialAudio: [Idle] {
    let spatial = config.spatialAudio
    let ids = Set(inputs.farEnds.map(\.farEndID))
    var idle: [Idle] = []
    if spatial.enabled {
      if outputs.playback.channelCount != 2 {
        idle.append(("config.spatial_audio", "without outputs.playback of 2 channels"))
      } else if ids.isEmpty, !inputs.hasOtherAudio {
        idle.append(("config.spatial_audio", "without inputs.far_ends or inputs.other_audio"))
      }
    }
    idle += spatial.sources.enumerated().filter { !ids.contains($0.element.farEndID) }.map {
      (
        "config.spatial_audio.sources[\($0.offset)]",
        "because inputs.far_ends has no \"\($0.element.farEndID)\""
      )
    }
    return idle
  }
}
