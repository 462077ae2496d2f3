internal import AnechoicAPI
internal import ArgumentParser

/// How a voice is processed.
struct VoiceOptions: ParsableArguments {
  @Option(help: "standard, voice-isolation or wide-spectrum.")
  var micMode = MicModeArgument.standard

  @Flag(help: "Leave the echo in.")
  var noEchoCancellation = false

  @Option(help: "off, low, moderate, high or very-high. (default: as the mic mode)")
  var noiseSuppression: NoiseSuppressionArgument?

  @Option(help: "on or off. (default: as the mic mode)")
  var gainControl: SwitchArgument?

  func apply(to config: inout Anechoic_V1_SessionConfig) {
    config.preferredMicMode = micMode.mode
    config.voiceActivityDetection.enabled = true
    if noEchoCancellation { config.voiceProcessing.echoCancellation.enabled = false }
    if let noiseSuppression { config.voiceProcessing.noiseSuppression = noiseSuppression.stage }
    if let gainControl { config.voiceProcessing.gainControl.enabled = gainControl == .on }
  }
}
