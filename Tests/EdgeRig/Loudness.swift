internal import Foundation

/// Levels of pieces of sound.
public enum Loudness {
  /// Of the mean square, in dBFS; -120 for silence.
  public static func level(_ samples: some Collection<Float>) -> Double {
    let sum = samples.reduce(0.0) { $0 + Double($1 * $1) }
    return max(-120, 10 * log10(max(1e-12, sum / Double(max(1, samples.count)))))
  }

  /// Of each whole piece of so many samples.
  public static func levels(_ samples: [Float], of size: Int) -> [Double] {
    stride(from: 0, to: samples.count - size + 1, by: size).map { level(samples[$0..<($0 + size)]) }
  }
}
