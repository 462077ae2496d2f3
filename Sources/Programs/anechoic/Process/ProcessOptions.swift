internal import AnechoicAPI
internal import ArgumentParser

/// The options of voice processing.
struct VoiceOptions: ParsableArguments {
  @Option(help: "The mic mode.")
  var micMode = MicModeArgument.standard

  @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Whether to cancel the echo.")
  var echoCancellation = true

  @Option(help: "The strength of noise suppression. (default: that of the mic mode)")
  var noiseSuppression: NoiseSuppressionArgument?

  @Option(help: "Whether the gain is controlled. (default: that of the mic mode)")
  var gainControl: SwitchArgument?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Whether to report the turns of the person at the microphone, as events.")
  var turns = false

  @Option(
    help: ArgumentHelp(
      "The probability at which a turn ends, above 0 and up to 1. (default: that of the server)",
      valueName: "probability"))
  var turnEndProbability: Float?

  func validate() throws {
    guard turns || turnEndProbability == nil else {
      throw ValidationError("--turn-end-probability needs --turns.")
    }
  }

  /// The options as a command line gives them.
  var arguments: [String] {
    var arguments = ["--mic-mode", micMode.rawValue]
    if !echoCancellation { arguments.append("--no-echo-cancellation") }
    if let noiseSuppression { arguments += ["--noise-suppression", noiseSuppression.rawValue] }
    if let gainControl { arguments += ["--gain-control", gainControl.rawValue] }
    if turns { arguments.append("--turns") }
    if let turnEndProbability { arguments += ["--turn-end-probability", "\(turnEndProbability)"] }
    return arguments
  }

  func apply(to config: inout Anechoic_V1_SessionConfig) {
    config.preferredMicMode = micMode.mode
    config.voiceActivityDetection.enabled = true
    config.turnDetection.enabled = turns
    if let turnEndProbability { config.turnDetection.endProbability = turnEndProbability }
    if !echoCancellation { config.voiceProcessing.echoCancellation.enabled = false }
    if let noiseSuppression { config.voiceProcessing.noiseSuppression = noiseSuppression.stage }
    if let gainControl { config.voiceProcessing.gainControl.enabled = gainControl == .on }
  }
}

/// The option for the engine of a session.
struct EngineOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The engine, as listed by anechoic capabilities. (default: that of the server)",
      valueName: "name"))
  var engine = ""
}

/// The options of the session: ducking, mute, the session's name, and speech from other clients.
struct CallOptions: ParsableArguments {
  @Option(help: "How much other audio is lowered.")
  var ducking = DuckingArgument.default

  @Flag(help: "Lower other audio fully while somebody talks, and a third as much otherwise.")
  var advancedDucking = false

  @Option(help: "Combine the two microphones of a stereo file into a direction.")
  var polarPattern: PolarPatternArgument?

  @Option(
    help: ArgumentHelp(
      "The distance of these microphones in millimeters, 5 to 50. (default: 20)", valueName: "mm"))
  var microphoneSpacing: Float?

  @Flag(help: "Start muted.")
  var muted = false

  @Option(
    parsing: .unconditional,
    help: "The id of the session, for anechoic sessions. (default: chosen by the server)")
  var sessionID = ""

  @OptionGroup var engine: EngineOption

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A label of the session; repeatable.", valueName: "key=value"))
  var label: [KeyValue] = []

  @Option(
    help: """
      The effect of a press of a mute button. With ask, a decide_mute_gesture in \
      --controls decides; without one, the press is applied after a while.
      """)
  var gesturePolicy = GesturePolicyArgument.apply

  @Flag(
    inversion: .prefixedNo,
    help: "Accept speech that other clients inject, once they have permission.")
  var injection = true

  @Option(
    help: """
      Whether to permit injection. ask asks on the terminal. (default: ask if there is a \
      terminal, else never)
      """)
  var grantInjection: GrantInjectionArgument?

  @Flag(
    help: """
      Have the answers about injection count in later sessions too. Needs a server \
      with --injection-permissions-file.
      """)
  var rememberInjection = false

  func validate() throws {
    guard polarPattern != nil || microphoneSpacing == nil else {
      throw ValidationError("--microphone-spacing needs --polar-pattern.")
    }
  }

  func apply(to start: inout Anechoic_V1_Start) {
    start.engine = engine.engine
    start.sessionID = sessionID
    start.muted = muted
    for label in label { start.labels[label.key] = label.value }
    start.config.otherAudioDucking.level = ducking.level
    start.config.otherAudioDucking.advancedDuckingEnabled = advancedDucking
    start.config.mute.gesturePolicy = gesturePolicy.policy
    if let polarPattern {
      start.inputs.microphonePair.pattern = polarPattern.pattern
      start.inputs.microphonePair.spacingMillimeters = microphoneSpacing ?? 20
    }
    start.config.preferredInjectionMode = injection ? .spokenAudio : .none
  }
}

enum MicModeArgument: String, ExpressibleByArgument, CaseIterable {
  case standard
  case voiceIsolation = "voice-isolation"
  case wideSpectrum = "wide-spectrum"

  var mode: Anechoic_V1_MicMode {
    switch self {
    case .standard: .standard
    case .voiceIsolation: .voiceIsolation
    case .wideSpectrum: .wideSpectrum
    }
  }
}

enum NoiseSuppressionArgument: String, ExpressibleByArgument, CaseIterable {
  case off
  case low
  case moderate
  case high
  case veryHigh = "very-high"

  var stage: Anechoic_V1_VoiceProcessing.NoiseSuppression {
    var stage = Anechoic_V1_VoiceProcessing.NoiseSuppression()
    stage.enabled = self != .off
    switch self {
    case .off: break
    case .low: stage.level = .low
    case .moderate: stage.level = .moderate
    case .high: stage.level = .high
    case .veryHigh: stage.level = .veryHigh
    }
    return stage
  }
}

enum SwitchArgument: String, ExpressibleByArgument, CaseIterable {
  case on
  case off
}

enum PacingArgument: String, ExpressibleByArgument, CaseIterable {
  case mediaClock = "media-clock"
  case realTime = "real-time"

  var pacing: Anechoic_V1_Pacing {
    switch self {
    case .mediaClock: .mediaClock
    case .realTime: .realTime
    }
  }
}

enum DuckingArgument: String, ExpressibleByArgument, CaseIterable {
  case `default`
  case min
  case mid
  case max

  var level: Anechoic_V1_OtherAudioDucking.Level {
    switch self {
    case .default: .unspecified
    case .min: .min
    case .mid: .mid
    case .max: .max
    }
  }
}

enum PolarPatternArgument: String, ExpressibleByArgument, CaseIterable {
  case cardioid
  case stereo

  var pattern: Anechoic_V1_MicrophonePair.PolarPattern {
    switch self {
    case .cardioid: .cardioid
    case .stereo: .stereo
    }
  }
}

enum GesturePolicyArgument: String, ExpressibleByArgument, CaseIterable {
  case apply
  case ask
  case ignore

  var policy: Anechoic_V1_MuteGesturePolicy {
    switch self {
    case .apply: .apply
    case .ask: .ask
    case .ignore: .ignore
    }
  }
}

enum GrantInjectionArgument: String, ExpressibleByArgument, CaseIterable {
  case ask
  case always
  case never
}
