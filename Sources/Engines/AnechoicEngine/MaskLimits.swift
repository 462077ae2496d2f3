internal import AudioCore
internal import VoiceEngines

/// The limits on the suppression of echo, noise and competing voices, and the exponent of the gains
/// for echo. A change takes effect over some frames.
struct MaskLimits {
  /// The part of the distance to the target that is covered in a frame.
  private static let smoothing: Float = 0.3

  /// The minimum gains, as factors. 1 switches a suppression off.
  struct Values {
    var echo: Float = 1
    var noise: Float = 1
    /// The limit on noise above 1.5 kHz, where a voice has less of its power.
    var hiss: Float = 1
    var competingVoices: Float = 1
    /// The limit on noise in the output for a recognizer.
    var recognizerNoise: Float = 1
    /// The exponent of the gains for echo.
    var echoExponent: Float = 1
  }

  /// The limit on noise in the output for a recognizer, in dB: see docs/decisions/0023-outputs.md.
  private static let recognizerNoise: Float = -10

  private(set) var values: Values
  private var target: Values

  init(_ settings: EngineSettings) {
    target = Self.limits(settings)
    values = target
  }

  mutating func apply(_ settings: EngineSettings) { target = Self.limits(settings) }

  /// Whether competing voices are lowered, or still are after a change.
  var isolatesVoice: Bool { min(values.competingVoices, target.competingVoices) < 0.999 }

  /// Whether all signals pass, within 0.1 dB.
  var isOpen: Bool { min(values.echo, values.noise, values.hiss, values.competingVoices) > 0.99 }

  /// Moves towards the limits of the settings. Runs per frame: no allocation, lock, log or await.
  mutating func advance() {
    func approach(_ value: inout Float, _ target: Float) {
      value += Self.smoothing * (target - value)
    }
    approach(&values.echo, target.echo)
    approach(&values.noise, target.noise)
    approach(&values.hiss, target.hiss)
    approach(&values.recognizerNoise, target.recognizerNoise)
    approach(&values.competingVoices, target.competingVoices)
    approach(&values.echoExponent, target.echoExponent)
    if abs(target.echoExponent - values.echoExponent) < 0.01 {
      values.echoExponent = target.echoExponent
    }
  }

  private static func limits(_ settings: EngineSettings) -> Values {
    var limits = Values()
    guard !settings.isReduced else { return limits }
    switch settings.echoSuppression {
    case nil: break
    case .low: limits.echo = Decibels.factor(-18)
    case .moderate: (limits.echo, limits.echoExponent) = (Decibels.factor(-60), 2.1)
    case .high: (limits.echo, limits.echoExponent) = (Decibels.factor(-80), 2.8)
    }
    let noise: Float? =
      switch settings.noiseSuppression {
      case nil: nil
      case .low: -8
      case .moderate: -40
      case .high: -50
      case .veryHigh: -60
      }
    if let noise {
      limits.noise = Decibels.factor(noise)
      limits.hiss = Decibels.factor(noise - 8)
      limits.recognizerNoise = Decibels.factor(max(noise, recognizerNoise))
    }
    if settings.isolatesVoice { limits.competingVoices = Decibels.factor(-45) }
    return limits
  }
}
