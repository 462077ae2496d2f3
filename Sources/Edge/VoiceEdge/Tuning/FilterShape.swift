internal import Foundation

/// A filter of second order, from R. Bristow-Johnson's "Cookbook formulae for audio EQ biquad filter
/// coefficients".
public struct FilterShape: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// Raises or lowers the frequencies around `frequency`.
    case peak
    /// Raises or lowers the frequencies below `frequency`.
    case lowShelf = "low-shelf"
    /// Raises or lowers the frequencies above `frequency`.
    case highShelf = "high-shelf"
    case highPass = "high-pass"
    case lowPass = "low-pass"

    /// Whether the filter has a gain.
    var hasGain: Bool { self != .highPass && self != .lowPass }
  }

  /// The allowed values.
  public static let frequencies = 20.0...20_000
  public static let gains = -24.0...24
  public static let qualities = 0.1...20
  /// The maximum number of filters in one direction.
  public static let most = 8

  public var kind: Kind
  /// The frequency in Hz.
  public var frequency: Double
  /// The gain in dB. Unused by high-pass and low-pass filters.
  public var gain: Double
  /// The quality, which is the frequency divided by the bandwidth.
  public var quality: Double

  public init(_ kind: Kind, frequency: Double, gain: Double = 0, quality: Double = 0.707) {
    self.kind = kind
    self.frequency = frequency
    self.gain = gain
    self.quality = quality
  }

  /// The coefficients of a filter, of which the first of the denominator is 1.
  struct Coefficients: BitwiseCopyable, Sendable {
    var b0 = 1.0
    var b1 = 0.0
    var b2 = 0.0
    var a1 = 0.0
    var a2 = 0.0

    /// Returns the gain in dB at a frequency, as an angle of 0 to pi.
    func response(at angle: Double) -> Double {
      func power(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
        let real = c0 + c1 * cos(angle) + c2 * cos(2 * angle)
        let imaginary = c1 * sin(angle) + c2 * sin(2 * angle)
        return real * real + imaginary * imaginary
      }
      return 10 * log10(max(1e-20, power(b0, b1, b2)) / max(1e-20, power(1, a1, a2)))
    }
  }

  /// Returns the coefficients at a rate in Hz. A frequency that the rate cannot represent is lowered.
  func coefficients(_ rate: Double) -> Coefficients {
    let omega = 2 * Double.pi * min(frequency, 0.45 * rate) / rate
    let (cosine, alpha) = (cos(omega), sin(omega) / (2 * quality))
    let amplitude = pow(10, gain / 40)
    let root = 2 * amplitude.squareRoot() * alpha
    let b: [Double]
    let a: [Double]
    switch kind {
    case .peak:
      b = [1 + alpha * amplitude, -2 * cosine, 1 - alpha * amplitude]
      a = [1 + alpha / amplitude, -2 * cosine, 1 - alpha / amplitude]
    case .lowShelf:
      let (up, down) = (amplitude + 1, amplitude - 1)
      b = [
        amplitude * (up - down * cosine + root), 2 * amplitude * (down - up * cosine),
        amplitude * (up - down * cosine - root),
      ]
      a = [up + down * cosine + root, -2 * (down + up * cosine), up + down * cosine - root]
    case .highShelf:
      let (up, down) = (amplitude + 1, amplitude - 1)
      b = [
        amplitude * (up + down * cosine + root), -2 * amplitude * (down + up * cosine),
        amplitude * (up + down * cosine - root),
      ]
      a = [up - down * cosine + root, 2 * (down - up * cosine), up - down * cosine - root]
    case .highPass:
      b = [(1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2]
      a = [1 + alpha, -2 * cosine, 1 - alpha]
    case .lowPass:
      b = [(1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2]
      a = [1 + alpha, -2 * cosine, 1 - alpha]
    }
    return Coefficients(
      b0: b[0] / a[0], b1: b[1] / a[0], b2: b[2] / a[0], a1: a[1] / a[0], a2: a[2] / a[0])
  }
}

extension [FilterShape] {
  /// Returns the gain in dB of all filters at a frequency, both in Hz.
  func response(at frequency: Double, rate: Double) -> Double {
    reduce(0) { $0 + $1.coefficients(rate).response(at: 2 * Double.pi * frequency / rate) }
  }
}
