internal import AudioCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Finds the pitch of a voice in a spectrum: the highest peak of the autocorrelation (Boersma 1993,
/// "Accurate short-term analysis of the fundamental frequency"), divided by that of the window.
struct PitchFinder: ~Copyable {
  /// The pitches that are looked for, in Hz.
  private static let pitches = 70.0...500.0
  /// The bins that have a part in the pitch: up to 1.5 kHz.
  private static let pitchedBins = 60
  /// The preference for the higher of two pitches an octave apart: a multiple of the period is as
  /// good.
  private static let octaveCost: Float = 0.08

  /// The transform of the powers up to 4 kHz into an autocorrelation.
  private let correlation: RealFFT
  private let correlationBins: FloatBuffer
  private let correlated: FloatBuffer
  private let windowCorrelation: FloatBuffer
  /// The reciprocals of the window's autocorrelation, with the octave cost.
  private let pitchWeights: FloatBuffer
  private let lags: ClosedRange<Int>
  /// The rate of the autocorrelation in Hz.
  private let lagRate: Double

  /// Creates a finder for spectra of bins of `binWidth` Hz, behind a window of `length` samples.
  init(
    window: FloatTable, length: Int, rate: SampleRate, binWidth: Double, kernels: Kernels
  ) {
    correlation = RealFFT(size: 320, kernels: kernels)
    lagRate = 320 * binWidth
    correlationBins = FloatBuffer(2 * Kernels.padded(161))
    correlated = FloatBuffer(320)
    lags =
      Int(lagRate / Self.pitches.upperBound)...Int((lagRate / Self.pitches.lowerBound).rounded(.up))
    windowCorrelation = Self.correlation(
      of: window, length, lags, step: Double(rate.hertz) / lagRate)
    pitchWeights = FloatBuffer(lags.upperBound + 1)
    for lag in lags {
      let octaves = log2(Float(lag) / Float(lags.lowerBound))
      pitchWeights.start[lag] = (1 - Self.octaveCost * octaves) / windowCorrelation.start[lag]
    }
  }

  /// The autocorrelation of the window at lags of `step` samples, relative to that at 0.
  private static func correlation(
    of window: FloatTable, _ length: Int, _ lags: ClosedRange<Int>, step: Double
  ) -> FloatBuffer {
    let result = FloatBuffer(lags.upperBound + 1)
    let power = FloatBuffer.product(window.start, window.start, length)
    for lag in 0...lags.upperBound {
      let distance = Int((Double(lag) * step).rounded())
      result.start[lag] =
        FloatBuffer.product(window.start, window.start + distance, length - distance) / power
    }
    return result
  }

  /// Returns the pitch in octaves above 150 Hz, and its strength.
  /// Runs per frame: no allocation, lock, log or await.
  func find(_ powers: UnsafePointer<Float>) -> (pitch: Float, strength: Float) {
    let bins = Spectrum(
      real: correlationBins.start, imaginary: correlationBins.start + correlationBins.count / 2)
    // The lowest bins are hum and wind. The lags are too coarse for harmonics above 1.5 kHz.
    bins.real.update(from: powers, count: Self.pitchedBins)
    bins.real[0] = 0
    bins.real[1] = 0
    correlation.inverse(bins, into: correlated.start)
    var (best, bestLag): (Float, Int) = (0, lags.lowerBound)
    let (values, weights) = (correlated.start, pitchWeights.start)
    for lag in lags {
      let value = values[lag] * weights[lag]
      if value > best { (best, bestLag) = (value, lag) }
    }
    let strength = min(max(normalized(bestLag) / (values[0] + TurnFeatures.softest), 0), 1)
    return (Float(log2(lagRate / (Double(bestLag) + peakOffset(bestLag)) / 150)), strength)
  }

  /// Returns the autocorrelation at a lag, divided by that of the window.
  private func normalized(_ lag: Int) -> Float {
    correlated.start[lag] / windowCorrelation.start[lag]
  }

  /// Returns the place of the peak of a parabola through the autocorrelation at a lag and its two
  /// neighbours, relative to the lag: -0.5...0.5.
  private func peakOffset(_ lag: Int) -> Double {
    guard lag > lags.lowerBound, lag < lags.upperBound else { return 0 }
    let (before, peak, after) = (normalized(lag - 1), normalized(lag), normalized(lag + 1))
    let curvature = before - 2 * peak + after
    guard curvature < 0 else { return 0 }
    return Double(min(max((before - after) / (2 * curvature), -0.5), 0.5))
  }
}
