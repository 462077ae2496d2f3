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
/// bands above its half, these are silent.
struct TurnFeatures: ~Copyable {
  static let count = 32
  static let bandCount = bandEdges.count - 1
  /// The limits of the bands in Hz.
  private static let bandEdges: [Double] = [
    50, 150, 250, 350, 450, 550, 650, 800, 950, 1100, 1300, 1500, 1750, 2000, 2300, 2650, 3050,
    3500, 4000, 4600, 5300, 6100, 7000, 7950,
  ]
  /// The power that counts as silence, and the middle and the scale of logarithms.
  static let softest: Float = 1e-11
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
  private let pitchFinder: PitchFinder
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
    pitchFinder = PitchFinder(
      window: window, length: length, rate: rate, binWidth: binWidth, kernels: kernels)
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
    let (pitch, strength) = pitchFinder.find(powers.start)
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
}

/// The findings of the session in a frame, beside its sound.
struct TurnObservation {
  /// The engine's probability of speech, 0...1.
  var speechProbability: Float
  /// Whether the engine finds voice that is no echo.
  var hasVoice: Bool
  /// Whether the frame may be echo, so that it cannot count as voice.
  var mayHearEcho = false
  /// The share of the microphone that the echo canceller predicts, 0...1.
  var explainedShare: Float
  var microphoneMeanSquare: Float
  /// The mean square of the newest frame of the echo reference, or 0 without one.
  var referenceMeanSquare: Float
  /// Whether the far end is heard in this frame.
  var farEndIsAudible: Bool
}
