public import AnechoicAPI
internal import SwiftProtobuf
public import VoiceSessions

extension SessionConfiguration {
  /// Converts a message. Fills in defaults that do not depend on the mic mode. `path` is the path
  /// of the message in the request.
  public init(_ config: Anechoic_V1_SessionConfig, path: String) throws(InvalidFieldError) {
    self.init()
    voiceProcessing = try VoiceProcessing(config.voiceProcessing, path: "\(path).voice_processing")
    preferredMicMode = try MicMode(config.preferredMicMode, path: "\(path).preferred_mic_mode")
    ducking = try Ducking(config.otherAudioDucking, path: "\(path).other_audio_ducking")
    mute = try Mute(config.mute, path: "\(path).mute")
    voiceActivity = try VoiceActivity(
      config.voiceActivityDetection, path: "\(path).voice_activity_detection")
    switch config.preferredInjectionMode {
    case .none: acceptsInjection = false
    case .unspecified, .spokenAudio: acceptsInjection = true
    case .UNRECOGNIZED(let value):
      throw InvalidFieldError(
        "\(path).preferred_injection_mode", "\(value) is not a known injection mode")
    }
    turns = try Turns(config.turnDetection, path: "\(path).turn_detection")
    spatial = try SpatialSettings(config.spatialAudio, path: "\(path).spatial_audio")
  }

  /// Returns this configuration with the fields of a patch.
  func updated(by patch: ConfigurationPatch) throws(InvalidFieldError) -> SessionConfiguration {
    var config = Anechoic_V1_SessionConfig(self)
    config.voiceProcessing.fill(
      stagesBelow: patch.fields, from: Anechoic_V1_SessionConfig(resolved).voiceProcessing)
    for field in patch.fields { _ = config.replace(field, from: patch.config) }
    let mode = try MicMode(config.preferredMicMode, path: "\(patch.path).preferred_mic_mode")
    config.voiceProcessing.fill(strengthsAfter: patch.fields, from: mode.settings)
    return try SessionConfiguration(config, path: patch.path)
  }
}

extension Anechoic_V1_ConfigUpdate {
  /// The maximum number of fields in a mask.
  public static let mostFields = 50
}

/// Fields of a configuration that replace the current ones, checked and in the order of
/// replacement.
struct ConfigurationPatch {
  fileprivate let fields: [String]
  fileprivate let config: Anechoic_V1_SessionConfig
  fileprivate let path: String

  /// Creates a patch. `path` and `mask` are the paths of the configuration and of its mask in the
  /// request. Throws if the mask names no field, too many fields, or a field that does not exist.
  init(
    _ update: Anechoic_V1_ConfigUpdate, path: String, mask: String
  ) throws(InvalidFieldError) {
    let fields = Set(update.updateMask.paths)
    guard !fields.isEmpty, fields.count <= Anechoic_V1_ConfigUpdate.mostFields else {
      throw InvalidFieldError(mask, "must name 1 to \(Anechoic_V1_ConfigUpdate.mostFields) fields")
    }
    for field in fields where !Anechoic_V1_SessionConfig.hasField(field) {
      throw InvalidFieldError(
        mask, "\"\(String(field.unicodeScalars.prefix(100)))\" is not a field of SessionConfig")
    }
    // In this order, a message comes before the fields in it.
    self.fields = fields.sorted()
    config = update.config
    self.path = path
  }
}

extension Anechoic_V1_SessionConfig {
  public init(_ configuration: SessionConfiguration) {
    self.init()
    voiceProcessing = Anechoic_V1_VoiceProcessing(configuration.voiceProcessing)
    preferredMicMode = Anechoic_V1_MicMode(configuration.preferredMicMode)
    otherAudioDucking = Anechoic_V1_OtherAudioDucking(configuration.ducking)
    mute = Anechoic_V1_MuteSettings(configuration.mute)
    preferredInjectionMode = configuration.acceptsInjection ? .spokenAudio : .none
    voiceActivityDetection = .with {
      $0.enabled = configuration.voiceActivity.isEnabled
      $0.farEndEnabled = configuration.voiceActivity.isFarEndEnabled
      $0.startWindow = Google_Protobuf_Duration(configuration.voiceActivity.startWindow)
      $0.hangover = Google_Protobuf_Duration(configuration.voiceActivity.hangover)
    }
    turnDetection = Anechoic_V1_TurnDetection(configuration.turns)
    // Not set for sessions without spatial audio.
    if configuration.spatial != SpatialSettings() {
      spatialAudio = Anechoic_V1_SpatialAudio(configuration.spatial)
    }
  }
}

extension SessionConfiguration.VoiceActivity {
  private static let longest = Duration.seconds(10)

  fileprivate init(
    _ detection: Anechoic_V1_VoiceActivityDetection, path: String
  ) throws(InvalidFieldError) {
    self.init()
    isEnabled = detection.enabled
    isFarEndEnabled = detection.farEndEnabled
    if detection.hasStartWindow {
      startWindow = try Duration(
        detection.startWindow, upTo: Self.longest, path: "\(path).start_window")
    }
    if detection.hasHangover {
      hangover = try Duration(detection.hangover, upTo: Self.longest, path: "\(path).hangover")
    }
  }
}
