internal import AudioCore
internal import VoiceEngines

/// How the settings change the network's gains: the strengths are limits on the suppression of echo,
/// noise and rivals apart from each other, and an exponent on the gains for echo. Noise above 1.5 kHz,
/// where a voice has less of its power, may be suppressed by 10 dB more. A change takes effect over
/// some frames.
struct MaskLimits {
  /// Factors. 1 switches a suppression off.
  private(set) var echo: Float
  private(set) var noise: Float
  /// That of noise above 1.5 kHz.
  private(set) var hiss: Float
  private(set) var rivals: Float
  /// The exponent of the gains for echo.
  private(set) var sharpness: Float
  private var aim: (echo: Float, noise: Float, hiss: Float, rivals: Float, sharpness: Float)
  /// The part of the way to the aim that is made in a frame.
  private static let pace: Float = 0.3

  init(_ settings: EngineSettings) {
    aim = Self.limits(settings)
    (echo, noise, hiss, rivals, sharpness) = aim
  }

  mutating func apply(_ settings: EngineSettings) { aim = Self.limits(settings) }

  /// Whether everything passes, to 0.1 dB.
  var isOpen: Bool { min(echo, noise, hiss, rivals) > 0.99 }

  /// Moves towards the limits of the settings. Runs per frame: no allocation, lock, log or await.
  mutating func advance() {
    echo += Self.pace * (aim.echo - echo)
    noise += Self.pace * (aim.noise - noise)
    hiss += Self.pace * (aim.hiss - hiss)
    rivals += Self.pace * (aim.rivals - rivals)
    sharpness =
      abs(aim.sharpness - sharpness) < 0.01
      ? aim.sharpness : sharpness + Self.pace * (aim.sharpness - sharpness)
  }

  private static func limits(
    _ settings: EngineSettings
  ) -> (echo: Float, noise: Float, hiss: Float, rivals: Float, sharpness: Float) {
    guard !settings.isReduced else { return (1, 1, 1, 1, 1) }
    let (echo, sharpness): (Float?, Float) =
      switch settings.echoSuppression {
      case nil: (nil, 1)
      case .low: (-18, 1)
      case .moderate: (-60, 2.1)
      case .high: (-80, 2.8)
      }
    let noise: Float? =
      switch settings.noiseSuppression {
      case nil: nil
      case .low: -8
      case .moderate: -15
      case .high: -26
      case .veryHigh: -45
      }
    let rivals: Float? = settings.isolatesVoice ? -45 : nil
    return (
      echo.map(Decibels.factor) ?? 1, noise.map(Decibels.factor) ?? 1,
      noise.map { Decibels.factor($0 - 10) } ?? 1, rivals.map(Decibels.factor) ?? 1, sharpness
    )
  }
}
