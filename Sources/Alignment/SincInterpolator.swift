#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads a signal between its samples by a Kaiser-windowed sinc of 32 taps, from a table of so many
/// fractions that the nearest will do (J. O. Smith, "Digital Audio Resampling"): what is off by half
/// an entry is 62 dB down at a quarter of the rate.
struct SincInterpolator: Sendable {
  static let taps = 32
  /// The first tap is so many samples before the whole part of the position.
  static let reachBefore = taps / 2 - 1
  private static let phases = 1024
  /// Of the window: 80 dB of attenuation.
  private static let beta = 8.0

  /// One for all: it never changes, and is never given back.
  static let shared = SincInterpolator()

  nonisolated(unsafe) private let table: UnsafePointer<Float>

  private init() {
    let table = UnsafeMutablePointer<Float>.allocate(capacity: (Self.phases + 1) * Self.taps)
    let half = Double(Self.taps / 2)
    for phase in 0...Self.phases {
      let fraction = Double(phase) / Double(Self.phases)
      var sum = 0.0
      var row = [Double](repeating: 0, count: Self.taps)
      for tap in 0..<Self.taps {
        let x = Double(tap - Self.reachBefore) - fraction
        let sinc = x == 0 ? 1 : sin(Double.pi * x) / (Double.pi * x)
        let inside = max(0, 1 - (x / half) * (x / half))
        row[tap] = sinc * Self.bessel(Self.beta * inside.squareRoot())
        sum += row[tap]
      }
      for tap in 0..<Self.taps {
        (table + phase * Self.taps + tap).initialize(to: Float(row[tap] / sum))
      }
    }
    self.table = UnsafePointer(table)
  }

  /// The value at `fraction`, 0..<1, after the sample that `taps` / 2 - 1 samples follow `first`.
  func value(_ first: UnsafePointer<Float>, _ fraction: Double) -> Float {
    let row = table + Int(fraction * Double(Self.phases) + 0.5) * Self.taps
    var sum = SIMD8<Float>()
    var tap = 0
    while tap < Self.taps {
      sum +=
        UnsafeRawPointer(first + tap).loadUnaligned(as: SIMD8<Float>.self)
        * UnsafeRawPointer(row + tap).loadUnaligned(as: SIMD8<Float>.self)
      tap += 8
    }
    return sum.sum()
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
