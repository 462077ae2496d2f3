import Foundation
import SwiftProtobuf
import Testing

@testable import AnechoicAPI

/// Update masks, compared with a simple but slow way to apply them.
struct ConfigFieldTests {
  private static let names = [
    ["", "voice_processing", "preferred_mic_mode", "other_audio_ducking", "mute"],
    ["voice_activity_detection", "preferred_injection_mode", "spatial_audio", "bypassed"],
    ["echo_cancellation", "noise_suppression", "gain_control", "high_pass_filter", "enabled"],
    ["suppression", "level", "target_level_dbfs", "advanced_ducking_enabled", "gesture_policy"],
    ["gesture_decision_timeout", "reject_gesture_on_timeout", "chime_disabled", "seconds"],
    ["muted_talker_detection_disabled", "far_end_enabled", "start_window", "hangover", "nanos"],
    ["head_tracked", "listener_profile", "sources", "early_reflections_disabled"],
    ["other_audio_mixed_down", "turn_detection", "end_probability", "longest_pause"],
    ["nonsense"],
  ].flatMap { $0 }

  private static let paths = names.flatMap { first in
    [first]
      + names.flatMap { second in
        ["\(first).\(second)"] + names.map { "\(first).\(second).\($0)" }
      }
  }

  @Test func everyFieldOfTheMessageCanBeNamedAndNoOther() {
    let valid = Self.paths.filter(Anechoic_V1_SessionConfig.isPathValid)
    #expect(valid.count > 30)
    #expect(Self.paths.filter(Anechoic_V1_SessionConfig.hasField) == valid)
  }

  @Test func aFieldIsReplacedOrCleared() throws {
    let updates = [Anechoic_V1_SessionConfig(), try Self.config(false), try Self.config(true)]
    for path in Self.paths.filter(Anechoic_V1_SessionConfig.isPathValid) {
      for update in updates {
        var config = try Self.config(true)
        let expected = try config.slowlyReplacing(path, from: update)
        _ = config.replace(path, from: update)
        #expect(try config.comparable == expected.comparable, "\(path)")
      }
    }
  }

  /// Returns a configuration with every field set.
  private static func config(_ isOn: Bool) throws -> Anechoic_V1_SessionConfig {
    let (level, seconds) = (isOn ? "LEVEL_HIGH" : "LEVEL_LOW", isOn ? "1.5s" : "2.25s")
    return try Anechoic_V1_SessionConfig(
      jsonString: """
        {"voice_processing": {"bypassed": \(isOn),
          "echo_cancellation": {"enabled": \(isOn), "suppression": "\(level)"},
          "noise_suppression": {"enabled": \(isOn), "level": "\(level)"},
          "gain_control": {"enabled": \(isOn), "target_level_dbfs": \(isOn ? 5 : 9)},
          "high_pass_filter": \(isOn)},
        "preferred_mic_mode": "\(isOn ? "MIC_MODE_STANDARD" : "MIC_MODE_WIDE_SPECTRUM")",
        "other_audio_ducking": {"advanced_ducking_enabled": \(isOn),
          "level": "\(isOn ? "LEVEL_MIN" : "LEVEL_MAX")"},
        "mute": {"gesture_policy": "MUTE_GESTURE_POLICY_\(isOn ? "ASK" : "IGNORE")",
          "gesture_decision_timeout": "\(seconds)", "reject_gesture_on_timeout": \(isOn),
          "chime_disabled": \(isOn), "muted_talker_detection_disabled": \(isOn)},
        "voice_activity_detection": {"enabled": \(isOn), "far_end_enabled": \(isOn),
          "start_window": "\(seconds)", "hangover": "\(seconds)"},
        "preferred_injection_mode": "INJECTION_MODE_\(isOn ? "NONE" : "SPOKEN_AUDIO")",
        "spatial_audio": {"enabled": \(isOn), "head_tracked": \(isOn),
          "early_reflections_disabled": \(isOn), "other_audio_mixed_down": \(isOn), "listener_profile": "\(level)",
          "sources": [{"far_end_id": "\(level)"}]},
        "turn_detection": {"enabled": \(isOn), "end_probability": \(isOn ? 0.25 : 0.75),
          "longest_pause": "\(seconds)"}}
        """)
  }
}

extension Anechoic_V1_SessionConfig {
  /// Sets and clears the field in the message's wire format, one name of the path after the other.
  fileprivate func slowlyReplacing(_ path: String, from update: Self) throws -> Self {
    var config = self
    // SwiftProtobuf's merge keeps a message that is absent in the source.
    let mask = Google_Protobuf_FieldMask.with { $0.paths = [path] }
    var options = Google_Protobuf_FieldMask.MergeOptions()
    options.replaceRepeatedFields = true
    try config.merge(from: update, fieldMask: mask, mergeOption: options)
    guard try !update.has(path) else { return config }
    return try Self(
      jsonUTF8Data: JSONSerialization.data(
        withJSONObject: pruned(config.tree, path.split(separator: ".")[...])))
  }

  fileprivate func has(_ path: String) throws -> Bool {
    var tree = try tree
    for name in path.split(separator: ".") {
      guard let next = (tree as? [String: Any])?[String(name)] else { return false }
      tree = next
    }
    return true
  }

  private var tree: Any {
    get throws {
      var options = JSONEncodingOptions()
      options.preserveProtoFieldNames = true
      return try JSONSerialization.jsonObject(with: jsonUTF8Data(options: options))
    }
  }

  /// The configuration without the difference between an empty and an absent message, where both
  /// mean the same.
  fileprivate var comparable: Self {
    get throws {
      var config = self
      if !hasVoiceProcessing { config.voiceProcessing = .init() }
      if !hasOtherAudioDucking { config.otherAudioDucking = .init() }
      if !hasMute { config.mute = .init() }
      if !hasVoiceActivityDetection { config.voiceActivityDetection = .init() }
      if !hasSpatialAudio { config.spatialAudio = .init() }
      if !hasTurnDetection { config.turnDetection = .init() }
      return config
    }
  }
}

/// Returns a tree of JSON objects without the value at a path.
private func pruned(_ tree: Any, _ path: ArraySlice<Substring>) -> Any {
  guard var object = tree as? [String: Any], let key = path.first.map(String.init) else {
    return tree
  }
  let rest = path.dropFirst()
  object[key] = rest.isEmpty ? nil : object[key].map { pruned($0, rest) }
  return object
}
