internal import AudioCore
internal import CKernels

/// The gains for noise of the bands: those of the network, and in loud noise also those that follow from
/// statistics.
///
/// The network knows a voice by its sound, but at a low signal-to-noise ratio it errs. Statistics know the
/// noise, but no voice. At 20 dB and more the network decides alone. At 8 dB and less both count, the
/// network a little less than it does alone. Echo would be noise to the statistics: the more of the sound is
/// echo, the less they count.
struct NoiseGains: ~Copyable {
  /// The gains of the network fall by at most 2 dB in a frame, so that the ends of words remain.
  private static let fall: Float = 0.8
  /// The signal-to-noise ratios at which both count in full and at which the network decides alone, dB.
  private static let both: Float = 8
  private static let alone: Float = 20
  /// How much less the network counts beside statistics.
  private static let doubt: Float = 0.3
  /// The logarithm of the smallest gain that follows from statistics, -26 dB.
  private static let least: Float = -3
  /// The frames without a voice after which statistics count in full. Until then, the statistics
  /// may mistake a voice at the start of the call for noise.
  private static let framesToKnowNoise = 20

  private let kernels: Kernels
  private var statistics: LogSpectralGain
  private let memory: FloatBuffer
  /// The network's gains, after their slow fall.
  private let found: UnsafeMutablePointer<Float>
  private let logarithms: UnsafeMutablePointer<Float>
  /// The gains of the last frame.
  let gains: UnsafeMutablePointer<Float>
  /// The mean power of the bands of the last frame, with the echo, and without the part that the
  /// network took for echo.
  private(set) var power: Float = 0
  private(set) var powerWithoutEcho: Float = 0
  /// The mean power of the bands of a voice.
  private var voicePower: Float = 0
  private var framesWithoutVoice = 0

  init(kernels: Kernels) {
    self.kernels = kernels
    statistics = LogSpectralGain(kernels: kernels)
    memory = FloatBuffer(3 * Bands.count)
    found = memory.start
    logarithms = found + Bands.count
    gains = logarithms + Bands.count
  }

  /// Computes the gains from those that the network found for noise and echo, the powers of the bands,
  /// and the network's probability of a voice. Runs per frame: no allocation, lock, log or await.
  mutating func compute(
    _ network: Suppressor.Gains, powers: UnsafePointer<Float>, voice probability: Float
  ) {
    let (found, logarithms) = (found, logarithms)
    let ofStatistics = statistics.compute(powers)
    var (sum, sumWithoutEcho, sumOfVoice): (Float, Float, Float) = (0, 0, 0)
    for band in 0..<Bands.count {
      found[band] = max(network.noise[band], found[band] * Self.fall)
      // The network's gain for echo is the part of the magnitude that is not echo.
      let withoutEcho = network.echo[band] * network.echo[band] * powers[band]
      sum += powers[band]
      sumWithoutEcho += withoutEcho
      sumOfVoice += found[band] * found[band] * withoutEcho
    }
    let count = Float(Bands.count)
    (power, powerWithoutEcho) = (sum / count, sumWithoutEcho / count)
    if probability > 0.5 {
      follow(sumOfVoice / count)
    } else {
      framesWithoutVoice = min(framesWithoutVoice + 1, Self.framesToKnowNoise)
    }
    let weight = weightOfStatistics * sumWithoutEcho / (sum + 1e-12)
    guard weight > 0 else { return gains.update(from: found, count: Bands.count) }
    kernels.table.logarithm(found, 1e-9, logarithms, Int32(Bands.count))
    let weightOfNetwork = 1 - Self.doubt * weight
    for band in 0..<Bands.count {
      logarithms[band] =
        weightOfNetwork * logarithms[band] + weight * max(ofStatistics[band], Self.least)
    }
    kernels.table.exponential(logarithms, gains, Int32(Bands.count))
  }

  private mutating func follow(_ power: Float) {
    voicePower += (power > voicePower ? 0.1 : 0.01) * (power - voicePower)
  }

  /// How much statistics count, from 0 to 1.
  private var weightOfStatistics: Float {
    let ratio = Decibels.level(
      meanSquare: (voicePower + 1e-12) / (statistics.noisePower + 1e-12))
    let known = Float(framesWithoutVoice) / Float(Self.framesToKnowNoise)
    return known * min(max((Self.alone - ratio) / (Self.alone - Self.both), 0), 1)
  }
}
