internal import Foundation

/// The levels of pieces of sound.
public enum Loudness {
  /// Returns the level of the mean square in dBFS, or -120 for silence.
  public static func level(_ samples: some Collection<Float>) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1 * $1) }
    return max(-120, 10 * log10(max(1e-12, sum / Double(max(1, samples.count)))))
  }

  /// Returns the level of each whole piece of `size` samples.
  public static func levels(_ samples: [Float], of size: Int) -> [Double] {
    stride(from: 0, to: samples.count - size + 1, by: size).map { level(samples[$0..<($0 + size)]) }
  }

  /// Returns the median of the levels of the last five seconds at 48 kHz, or 0 if there are fewer.
  public static func median(_ samples: [Float]) -> Double {
    let rate = 48000
    guard samples.count >= 5 * rate else { return 0 }
    return levels(samples.suffix(5 * rate), of: rate).sorted()[2]
  }
}
