internal import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceClient

/// The strength of the echo suppression, which a port may set.
extension EdgeVoice {
  /// The settings of the next session, before the tuning of its port.
  var wantedSettings: Anechoic_V1_SessionConfig {
    server.kept?.configuration ?? configuration.session.configuration
  }

  /// Returns settings that the server reports, with the strength that belongs to no port. Where ports have
  /// strengths of their own, none of them may stay with the next port.
  func untuned(_ settings: Anechoic_V1_SessionConfig) -> Anechoic_V1_SessionConfig {
    guard configuration.routes.ports.contains(where: { configuration.tuning(of: $0).echo != nil })
    else { return settings }
    var settings = settings
    settings.voiceProcessing.echoCancellation.suppression =
      configuration.session.configuration.voiceProcessing.echoCancellation.suppression
    return settings
  }

  /// Returns the settings of a session with the strength of the port in use.
  func tuned(_ settings: Anechoic_V1_SessionConfig) -> Anechoic_V1_SessionConfig {
    guard let echoStrength = devices.echoStrength else { return settings }
    var settings = settings
    if !settings.voiceProcessing.hasEchoCancellation {
      settings.voiceProcessing.echoCancellation.enabled = true
    }
    settings.voiceProcessing.echoCancellation.suppression = echoStrength
    return settings
  }

  /// Follows the tuning of a new port, also in a session that runs.
  func followTuning(of port: EdgeConfiguration.Port?) {
    let new = configuration.tuning(of: port).echo
    guard new != devices.echoStrength else { return }
    devices.echoStrength = new
    let settings = tuned(wantedSettings)
    local?.cancelEcho(as: settings)
    let processing = settings.voiceProcessing
    sendControl {
      $0.updateConfig.updateMask.paths = ["voice_processing.echo_cancellation"]
      if processing.hasEchoCancellation {
        $0.updateConfig.config.voiceProcessing.echoCancellation = processing.echoCancellation
      }
    }
  }
}
