internal import AudioCore
internal import CKernels

#if canImport(Glibc)
  internal import Glibc
#endif

/// The inputs of the turn network: what a frame of the echo-cancelled microphone sounds like, and
/// what the engine and the reference say about it.
///
/// | values | content |
/// |---|---|
/// | 0..<23 | the logarithm of the power of bands from 50 Hz to 8 kHz |
/// | 23 | the logarithm of the power of the frame |
/// | 24, 25 | the pitch in octaves above 150 Hz, times its strength; the strength, 0...1 |
/// | 26, 27 | the engine's probability of speech, and whether it finds voice |
/// | 28, 29 | the logarithm of the power of the reference: now, and the largest of late |
/// | 30 | the share of the microphone that the echo canceller predicts, 0...1 |
/// | 31 | the logarithm of the attenuation from the microphone to the output |
///
/// The spectrum is that of the last 40 ms, with a window that falls within the last 10 ms, so that
/// the features hardly lag. A bin is about 25 Hz wide at every sample rate. Where a rate has no
/// bands above its half, these are silent. The pitch is the highest peak of the autocorrelation
/// (Boersma 1993, "Accurate short-term analysis of the fundamental frequency"), divided by that of
/// the window.
struct TurnFeatures: ~Copyable {
  static let count = 32
  static let bandCount = bandEdges.count - 1
  /// The limits of the bands in Hz.
  private static let bandEdges: [Double] = [
    50, 150, 250, 350, 450, 550, 650, 800, 950, 1100, 1300, 1500, 1750, 2000, 2300, 2650, 3050,
    3500, 4000, 4600, 5300, 6100, 7000, 7950,
  ]
  /// The pitches that are looked for, in Hz.
  private static let pitches = 70.0...500.0
  /// The bins that have a part in the pitch: up to 1.5 kHz.
  private static let pitchedBins = 60
  /// The preference for the higher of two pitches an octave apart: a multiple of the period is as
  /// good.
  private static let octaveCost: Float = 0.08
  /// The power that counts as silence, and the middle and the scale of logarithms.
  private static let softest: Float = 1e-11
  private static let middle: Float = 14
  private static let scale: Float = 0.25
  /// The part of the reference's largest power that remains after a frame: 26 dB less after a
  /// second.
  private static let kept: Float = 0.94

  /// The samples of the last 40 ms.
  private let history: FloatBuffer
  private let window: FloatTable
  private let block: FloatBuffer
  private let fft: RealFFT
  private let spectrum: FloatBuffer
  private let powers: FloatBuffer
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
  private let edges: [Int]
  private let hop: Int
  private let kernels = Kernels.best
  private var loudestReference: Float = 0

  init(rate: SampleRate) {
    hop = rate.samplesPerFrame
    let length = 4 * hop
    fft = RealFFT(size: RealFFT.tightSize(atLeast: length), kernels: kernels)
    history = FloatBuffer(length)
    block = FloatBuffer(fft.size)
    window = Self.window(length)
    let bins = Kernels.padded(fft.size / 2 + 1)
    spectrum = FloatBuffer(2 * bins)
    powers = FloatBuffer(bins)
    let binWidth = Double(rate.hertz) / Double(fft.size)
    let last = fft.size / 2
    edges = Self.bandEdges.map { min(Int(($0 / binWidth).rounded()), last) }
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

  /// A window that rises over three quarters and falls over the last one. Its sum is 1.
  private static func window(_ length: Int) -> FloatTable {
    let rise = Double(length) * 3 / 4
    return FloatTable(length) { window in
      for index in 0..<length {
        let place = Double(index) + 0.5
        let phase = place < rise ? place / rise : 1 + (place - rise) / (Double(length) - rise)
        let sine = sin(phase * Double.pi / 2)
        window[index] = Float(sine * sine * 2 / Double(length))
      }
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

  /// Computes the features of a frame into `count` values.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(
    _ frame: borrowing Frame, _ observation: TurnObservation,
    into features: UnsafeMutablePointer<Float>
  ) {
    analyze(frame)
    for band in 0..<Self.bandCount {
      let (first, end) = (edges[band], edges[band + 1])
      features[band] = FloatBuffer.mean(powers.start + first, end - first)
    }
    let level = history.meanSquare(3 * hop..<4 * hop)
    loudestReference = max(observation.referenceMeanSquare, Self.kept * loudestReference)
    features[23] = level
    features[28] = observation.referenceMeanSquare
    features[29] = loudestReference
    features[31] = observation.microphoneMeanSquare
    let (pitch, strength) = pitch()
    features[24] = 0
    features[25] = 0
    features[26] = 0
    features[27] = 0
    features[30] = 0
    kernels.table.logarithm(features, Self.softest, features, Int32(Self.count))
    for index in 0..<Self.count { features[index] = (features[index] + Self.middle) * Self.scale }
    features[31] = min(max(features[31] - features[23], -2), 3)
    features[24] = pitch * strength
    features[25] = strength
    features[26] = observation.speechProbability
    features[27] = observation.hasVoice ? 1 : 0
    features[30] = observation.explainedShare
  }

  /// Computes the powers of the bins. Runs per frame: no allocation, lock, log or await.
  private func analyze(_ frame: borrowing Frame) {
    let start = history.start
    start.update(from: start + hop, count: 3 * hop)
    let newest = start + 3 * hop
    newest.update(from: frame.planePointers[0], count: hop)
    if frame.channelCount == 2 {
      let right = frame.planePointers[1]
      for index in 0..<hop { newest[index] = (newest[index] + right[index]) / 2 }
    }
    let (block, window) = (block.start, window.start)
    for index in 0..<4 * hop { block[index] = start[index] * window[index] }
    let bins = Spectrum(real: spectrum.start, imaginary: spectrum.start + spectrum.count / 2)
    fft.forward(block, into: bins)
    kernels.table.power(bins.forC, powers.start, Int32(powers.count))
  }

  /// Returns the pitch in octaves above 150 Hz, and its strength.
  /// Runs per frame: no allocation, lock, log or await.
  private func pitch() -> (pitch: Float, strength: Float) {
    let bins = Spectrum(
      real: correlationBins.start, imaginary: correlationBins.start + correlationBins.count / 2)
    // The lowest bins are hum and wind. The lags are too coarse for harmonics above 1.5 kHz.
    bins.real.update(from: powers.start, count: Self.pitchedBins)
    bins.real[0] = 0
    bins.real[1] = 0
    correlation.inverse(bins, into: correlated.start)
    var (best, bestLag): (Float, Int) = (0, lags.lowerBound)
    let (values, weights) = (correlated.start, pitchWeights.start)
    for lag in lags {
      let value = values[lag] * weights[lag]
      if value > best { (best, bestLag) = (value, lag) }
    }
    let strength = min(max(normalized(bestLag) / (values[0] + Self.softest), 0), 1)
    return (Float(log2(lagRate / (Double(bestLag) + peakOffset(bestLag)) / 150)), strength)
  }
}

extension TurnFeatures {
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

/// The findings of the session in a frame, beside its sound.
struct TurnObservation {
  /// The engine's probability of speech, 0...1.
  var speechProbability: Float
  /// Whether the engine finds voice that is no echo.
  var hasVoice: Bool
  /// The share of the microphone that the echo canceller predicts, 0...1.
  var explainedShare: Float
  var microphoneMeanSquare: Float
  /// The mean square of the newest frame of the echo reference, or 0 without one.
  var referenceMeanSquare: Float
  /// Whether the far end is heard in this frame.
  var farEndIsAudible: Bool
}
