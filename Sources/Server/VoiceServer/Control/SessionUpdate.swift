internal import AnechoicAPI
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The changes that an `UpdateSession` asks for: some fields of the configuration, the labels, or
/// both.
struct SessionUpdate {
  /// The change of the configuration. Nil if the mask names no field of the configuration.
  let configuration: SessionControl.Change?
  /// The same change as the control of a media client, for recordings.
  let control: Anechoic_V1_Control
  /// The new labels. Nil if the mask does not name the labels.
  let labels: [String: String]?
  /// The listener profile that the change names, or nil.
  let profile: String?

  init(_ request: Anechoic_V1_UpdateSessionRequest) throws(Status) {
    let paths = request.updateMask.paths
    let mostFields = Anechoic_V1_ConfigUpdate.mostFields
    guard (1...mostFields).contains(paths.count) else {
      throw Status(InvalidFieldError("update_mask", "must name 1 to \(mostFields) fields"))
    }
    var fields: [String] = []
    var namesLabels = false
    for path in paths {
      if path == "labels" {
        namesLabels = true
      } else if path == "config" {
        fields += Self.configurationFields
      } else if path.hasPrefix("config.") {
        fields.append(String(path.dropFirst("config.".count)))
      } else {
        throw Status(
          InvalidFieldError(
            "update_mask",
            "\"\(path.plainPrefix(100))\" must be labels, config or a field of config"))
      }
    }
    guard !request.hasAtSample || !fields.isEmpty else {
      throw Status(
        InvalidFieldError("at_sample", "needs a change of config; labels change at once"))
    }
    var update = Anechoic_V1_ConfigUpdate()
    update.config = request.session.config
    update.updateMask.paths = fields
    control = .with {
      $0.updateConfig = update
      if request.hasAtSample { $0.atSample = request.atSample }
    }
    profile = update.namedProfile
    configuration =
      fields.isEmpty
      ? nil : SessionControl.configuration(update, path: "session.config", mask: "update_mask")
    do {
      labels =
        namesLabels
        ? try SessionLabels.check(request.session.labels, path: "session.labels") : nil
    } catch {
      throw Status(error)
    }
  }

  private static let configurationFields = [
    "voice_processing", "preferred_mic_mode", "other_audio_ducking", "mute",
    "voice_activity_detection", "preferred_injection_mode", "spatial_audio",
    "turn_detection",
  ]
}
