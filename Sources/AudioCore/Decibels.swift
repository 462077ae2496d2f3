#if canImport(Glibc)
  internal import Glibc
#endif

/// Levels and gains in decibels.
public enum Decibels {
  /// What digital silence is shown as.
  public static let silence: Float = -120

  /// The level of a mean square in dBFS, no lower than `silence`.
  public static func level(meanSquare: Float) -> Float {
    meanSquare > 1e-12 ? 10 * log10f(meanSquare) : silence
  }

  /// The factor on the samples that a gain in decibels means.
  public static func factor(_ gain: Float) -> Float { powf(10, gain / 20) }
}
