#if canImport(Glibc)
  internal import Glibc
#endif

/// Interpolates a signal between its samples by a Kaiser-windowed sinc of 32 taps. A table holds
/// the taps for 1,024 fractions, and the nearest entry is used (J. O. Smith, "Digital Audio
/// Resampling"): the error of half an entry is 62 dB below the signal at a quarter of the rate.
package struct SincInterpolator: Sendable {
  package static let taps = 32
  /// The number of samples between the first tap and the whole part of the position.
  package static let reachBefore = taps / 2 - 1
  private static let phases = 1024
  /// The parameter of the window, for an attenuation of 80 dB.
  private static let beta = 8.0

  /// The only instance. Its table never changes and is never freed.
  package static let shared = SincInterpolator()

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

  /// Returns the value at `fraction`, 0..<1, after the sample that is `reachBefore` samples after
  /// `first`.
  @inline(__always)
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

  /// Reads `count` values of a signal, the first at a position and each next one `step` samples later.
  /// The signal has values from `reachBefore` samples before the first position to `taps / 2` samples
  /// after the last one, and positions are above -1,000,000. Runs per frame: no allocation, lock, log
  /// or await.
  package func read(
    _ signal: UnsafePointer<Float>, from first: Double, step: Double = 1, count: Int,
    into values: UnsafeMutablePointer<Float>
  ) {
    // A conversion to an integer rounds positive values down, and is quicker than `rounded`.
    let offset = 1 << 20
    for index in 0..<count {
      let position = first + step * Double(index)
      let whole = Int(position + Double(offset)) - offset
      values[index] = value(signal + whole - Self.reachBefore, position - Double(whole))
    }
  }

  /// Returns the modified Bessel function of the first kind, order 0.
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
