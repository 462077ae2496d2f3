internal import AudioCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// The dither of the features: powers of a white noise of -80 dBFS in the bands, for a number of
/// frames after which they repeat.
enum FeatureDither {
  static let frames = 64
  private static let power = 1e-8

  /// Frames x bands.
  static let table = FloatTable(frames * Bands.count) { powers in
    // A linear congruential generator (Numerical Recipes, 1992), as in `training/features.py`.
    var state: UInt32 = 1
    for index in 0..<(frames * Bands.count) {
      state = state &* 1_664_525 &+ 1_013_904_223
      // The power of white noise in a bin is distributed exponentially.
      powers[index] = Float(-power * log((Double(state >> 8) + 0.5) / 16_777_216))
    }
  }
}
