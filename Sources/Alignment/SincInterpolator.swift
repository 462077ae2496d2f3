#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads a signal between its samples by a Kaiser-windowed sinc of 32 taps (J. O. Smith, "Digital
/// Audio Resampling", with its table of the filter and the interpolation between two entries).
struct SincInterpolator: ~Copyable {
  static let taps = 32
  /// The first tap is so many samples before the whole part of the position.
  static let reachBefore = taps / 2 - 1
  private static let phases = 256
  /// Of the window: 80 dB of attenuation.
  private static let beta = 8.0

  private let table = FloatBuffer((phases + 1) * taps)

  init() {
    let half = Double(Self.taps / 2)
    let scale = 1 / Self.bessel(Self.beta)
    for phase in 0...Self.phases {
      let fraction = Double(phase) / Double(Self.phases)
      var sum = 0.0
      var row = [Double](repeating: 0, count: Self.taps)
      for tap in 0..<Self.taps {
        let x = Double(tap - Self.reachBefore) - fraction
        let sinc = x == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x)
        let inside = max(0, 1 - (x / half) * (x / half))
        row[tap] = sinc * Self.bessel(Self.beta * inside.squareRoot()) * scale
        sum += row[tap]
      }
      for tap in 0..<Self.taps {
        table.start[phase * Self.taps + tap] = Float(row[tap] / sum)
      }
    }
  }

  /// The value at `fraction`, 0..<1, after the sample that `taps` / 2 - 1 samples follow `first`.
  func value(_ first: UnsafePointer<Float>, _ fraction: Double) -> Float {
    let position = fraction * Double(Self.phases)
    let phase = min(Int(position), Self.phases - 1)
    let weight = Float(position - Double(phase))
    let lower = table.start + phase * Self.taps
    var (low, high) = (SIMD8<Float>(), SIMD8<Float>())
    var tap = 0
    while tap < Self.taps {
      let samples = UnsafeRawPointer(first + tap).loadUnaligned(as: SIMD8<Float>.self)
      low += samples * UnsafeRawPointer(lower + tap).loadUnaligned(as: SIMD8<Float>.self)
      high +=
        samples * UnsafeRawPointer(lower + Self.taps + tap).loadUnaligned(as: SIMD8<Float>.self)
      tap += 8
    }
    return (low + (high - low) * weight).sum()
  }

  /// The modified Bessel function of the first kind, order 0.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-12 {
      term *= (x / 2 / index) * (x / 2 / index)
      sum += term
      index += 1
    }
    return sum
  }
}
