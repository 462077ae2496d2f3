internal import SwiftProtobuf
public import VoiceSessions

extension SessionConfiguration {
  /// The configuration of a message, defaults filled in where a default does not depend on the mic
  /// mode. `path` is where the message stands.
  public init(_ config: Anechoic_V1_SessionConfig, path: String) throws(InvalidField) {
    self.init()
    try config.refuseUnsupported(path: path)
    voiceProcessing = try VoiceProcessing(config.voiceProcessing, path: "\(path).voice_processing")
    preferredMicMode = try MicMode(config.preferredMicMode, path: "\(path).preferred_mic_mode")
    voiceActivity = try VoiceActivity(
      config.voiceActivityDetection, path: "\(path).voice_activity_detection")
  }

  /// More fields than there are need not be named.
  private static let mostFields = 50

  /// This configuration with the fields of a mask taken from an update.
  public func updated(
    by update: Anechoic_V1_ConfigUpdate, path: String
  ) throws(InvalidField) -> SessionConfiguration {
    let fields = Set(update.updateMask.paths)
    guard !fields.isEmpty, fields.count <= Self.mostFields else {
      throw InvalidField("\(path).update_mask", "names no field, or more than \(Self.mostFields)")
    }
    for field in fields where !Anechoic_V1_SessionConfig.isPathValid(field) {
      throw InvalidField(
        "\(path).update_mask", "\"\(field.prefix(100))\" is no field of SessionConfig")
    }
    var config = Anechoic_V1_SessionConfig(self)
    config.voiceProcessing.fill(
      stagesBelow: fields, from: Anechoic_V1_SessionConfig(resolved).voiceProcessing)
    let mask = Google_Protobuf_FieldMask.with { $0.paths = fields.sorted() }
    do {
      try config.replace(from: update.config, mask: mask)
    } catch {
      throw InvalidField("\(path).update_mask", "cannot be applied: \(error)")
    }
    return try SessionConfiguration(config, path: "\(path).config")
  }
}

extension Anechoic_V1_SessionConfig {
  public init(_ configuration: SessionConfiguration) {
    self.init()
    voiceProcessing = Anechoic_V1_VoiceProcessing(configuration.voiceProcessing)
    preferredMicMode = Anechoic_V1_MicMode(configuration.preferredMicMode)
    voiceActivityDetection = .with {
      $0.enabled = configuration.voiceActivity.isEnabled
      $0.startWindow = Google_Protobuf_Duration(configuration.voiceActivity.startWindow)
      $0.hangover = Google_Protobuf_Duration(configuration.voiceActivity.hangover)
    }
  }

  /// A field that would do nothing is refused rather than ignored.
  fileprivate func refuseUnsupported(path: String) throws(InvalidField) {
    if otherAudioDucking != .init() { throw .unsupported("\(path).other_audio_ducking") }
    if mute != .init() { throw .unsupported("\(path).mute") }
    if spatialAudio != .init() { throw .unsupported("\(path).spatial_audio") }
    switch preferredInjectionMode {
    case .unspecified, .none: break
    default: throw .unsupported("\(path).preferred_injection_mode")
    }
  }
}

extension SessionConfiguration.VoiceActivity {
  private static let longest = Duration.seconds(10)

  fileprivate init(
    _ detection: Anechoic_V1_VoiceActivityDetection, path: String
  ) throws(InvalidField) {
    self.init()
    if detection.farEndEnabled { throw .unsupported("\(path).far_end_enabled") }
    isEnabled = detection.enabled
    if detection.hasStartWindow {
      startWindow = try Self.time(detection.startWindow, path: "\(path).start_window")
    }
    if detection.hasHangover {
      hangover = try Self.time(detection.hangover, path: "\(path).hangover")
    }
  }

  private static func time(
    _ duration: Google_Protobuf_Duration, path: String
  ) throws(InvalidField) -> Duration {
    let time = try Duration(duration, path: path)
    guard time > .zero, time <= longest else {
      throw InvalidField(path, "is not between 0 and \(longest)")
    }
    return time
  }
}
