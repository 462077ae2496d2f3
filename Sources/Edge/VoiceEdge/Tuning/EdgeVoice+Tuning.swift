internal import AnechoicAPI
internal import SwiftProtobuf

/// The strength of the echo suppression, which a port may set.
extension EdgeVoice {
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
    let settings = tuned(configuration.session.configuration)
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
