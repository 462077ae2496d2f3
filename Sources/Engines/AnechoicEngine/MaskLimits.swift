internal import AudioCore
internal import VoiceEngines

/// The limits on the suppression of echo, noise and rivals, each apart from the others, and the exponent of
/// the gains for echo. A change takes effect over some frames.
struct MaskLimits {
  /// The part of the way to the aim that is made in a frame.
  private static let pace: Float = 0.3

  /// The smallest gains, as factors. 1 switches a suppression off.
  struct Values {
    var echo: Float = 1
    var noise: Float = 1
    /// The limit on noise above 1.5 kHz, where a voice has less of its power.
    var hiss: Float = 1
    var rivals: Float = 1
    /// The exponent of the gains for echo.
    var sharpness: Float = 1
  }

  private(set) var values: Values
  private var aim: Values

  init(_ settings: EngineSettings) {
    aim = Self.limits(settings)
    values = aim
  }

  mutating func apply(_ settings: EngineSettings) { aim = Self.limits(settings) }

  /// Whether everything passes, to 0.1 dB.
  var isOpen: Bool { min(values.echo, values.noise, values.hiss, values.rivals) > 0.99 }

  /// Moves towards the limits of the settings. Runs per frame: no allocation, lock, log or await.
  mutating func advance() {
    func approach(_ value: inout Float, _ aim: Float) { value += Self.pace * (aim - value) }
    approach(&values.echo, aim.echo)
    approach(&values.noise, aim.noise)
    approach(&values.hiss, aim.hiss)
    approach(&values.rivals, aim.rivals)
    approach(&values.sharpness, aim.sharpness)
    if abs(aim.sharpness - values.sharpness) < 0.01 { values.sharpness = aim.sharpness }
  }

  private static func limits(_ settings: EngineSettings) -> Values {
    var limits = Values()
    guard !settings.isReduced else { return limits }
    switch settings.echoSuppression {
    case nil: break
    case .low: limits.echo = Decibels.factor(-18)
    case .moderate: (limits.echo, limits.sharpness) = (Decibels.factor(-60), 2.1)
    case .high: (limits.echo, limits.sharpness) = (Decibels.factor(-80), 2.8)
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
    }
    if settings.isolatesVoice { limits.rivals = Decibels.factor(-45) }
    return limits
  }
}
