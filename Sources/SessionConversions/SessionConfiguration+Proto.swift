public import AnechoicAPI
internal import SwiftProtobuf
public import VoiceSessions

extension SessionConfiguration {
  /// Converts a message. Fills in defaults that do not depend on the mic mode. `path` is the path
  /// of the message in the request.
  public init(_ config: Anechoic_V1_SessionConfig, path: String) throws(InvalidField) {
    self.init()
    try config.refuseUnsupported(path: path)
    voiceProcessing = try VoiceProcessing(config.voiceProcessing, path: "\(path).voice_processing")
    preferredMicMode = try MicMode(config.preferredMicMode, path: "\(path).preferred_mic_mode")
    ducking = try Ducking(config.otherAudioDucking, path: "\(path).other_audio_ducking")
    mute = try Mute(config.mute, path: "\(path).mute")
    voiceActivity = try VoiceActivity(
      config.voiceActivityDetection, path: "\(path).voice_activity_detection")
    switch config.preferredInjectionMode {
    case .unspecified, .none: acceptsInjection = false
    case .spokenAudio: acceptsInjection = true
    case .UNRECOGNIZED(let value):
      throw InvalidField(
        "\(path).preferred_injection_mode", "\(value) is not a known injection mode")
    }
  }

  /// The maximum number of fields in a mask.
  private static let mostFields = 50

  /// Returns this configuration with the fields of a mask taken from an update. `path` and `mask`
  /// are the paths of the two in the message.
  func updated(
    by update: Anechoic_V1_ConfigUpdate, path: String, mask maskPath: String
  ) throws(InvalidField) -> SessionConfiguration {
    let fields = Set(update.updateMask.paths)
    guard !fields.isEmpty, fields.count <= Self.mostFields else {
      throw InvalidField(maskPath, "must name 1 to \(Self.mostFields) fields")
    }
    for field in fields where !Anechoic_V1_SessionConfig.isPathValid(field) {
      throw InvalidField(
        maskPath, "\"\(String(field.unicodeScalars.prefix(100)))\" is not a field of SessionConfig")
    }
    var config = Anechoic_V1_SessionConfig(self)
    config.voiceProcessing.fill(
      stagesBelow: fields, from: Anechoic_V1_SessionConfig(resolved).voiceProcessing)
    let mask = Google_Protobuf_FieldMask.with { $0.paths = fields.sorted() }
    do {
      try config.replace(from: update.config, mask: mask)
    } catch {
      throw InvalidField(maskPath, "cannot be applied: \(error)")
    }
    return try SessionConfiguration(config, path: path)
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
  }

  /// Throws for a field that this version does not offer, so that it is not ignored.
  fileprivate func refuseUnsupported(path: String) throws(InvalidField) {
    if spatialAudio != .init() { throw .unsupported("\(path).spatial_audio") }
  }
}

extension SessionConfiguration.VoiceActivity {
  private static let longest = Duration.seconds(10)

  fileprivate init(
    _ detection: Anechoic_V1_VoiceActivityDetection, path: String
  ) throws(InvalidField) {
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
