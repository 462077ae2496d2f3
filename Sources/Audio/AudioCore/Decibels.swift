#if canImport(Glibc)
  internal import Glibc
#endif

/// Levels and gains in decibels.
public enum Decibels {
  /// The level of digital silence.
  public static let silence: Float = -120

  /// Returns the level of a mean square in dBFS, no lower than `silence`.
  public static func level(meanSquare: Float) -> Float {
    meanSquare > 1e-12 ? 10 * log10f(meanSquare) : silence
  }

  /// Returns the factor of a gain in decibels.
  public static func factor(_ gain: Float) -> Float { powf(10, gain / 20) }
}
