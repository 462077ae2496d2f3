internal import AudioCore
internal import CKernels

/// The gains for noise of the bands: those of the mask network, combined in loud noise with the
/// statistical gains of `LogSpectralGain`.
///
/// The network recognizes a voice by its spectrum, but makes errors at a low signal-to-noise ratio.
/// The statistics track the noise, but do not recognize a voice. At 20 dB and more the gains of the
/// network are used alone. At 8 dB and less both are multiplied, with a reduced weight of the
/// network. The statistics would classify echo as noise: the larger the share of echo, the smaller
/// is their weight.
struct NoiseGains: ~Copyable {
  /// The gains of the network fall by at most 2 dB in a frame, so that the ends of words remain.
  private static let fall: Float = 0.8
  /// The signal-to-noise ratios, in dB, below which the statistics have their full weight, and
  /// above which only the network is used.
  private static let fullWeightSNR: Float = 8
  private static let networkOnlySNR: Float = 20
  /// The reduction of the network's weight beside the full weight of the statistics.
  private static let weightReduction: Float = 0.3
  /// The logarithm of the minimum statistical gain, -26 dB.
  private static let minimumLogarithm: Float = -3
  /// The number of frames without a voice after which the statistics have their full weight. Until
  /// then, their noise estimate may contain the voice with which the call begins.
  private static let noiseEstimationFrames = 20

  private let kernels: Kernels
  private var statistics: LogSpectralGain
  private let memory: FloatBuffer
  /// The gains of the network, with their slow fall.
  private let networkGains: UnsafeMutablePointer<Float>
  private let logarithms: UnsafeMutablePointer<Float>
  /// The gains of the last frame.
  let gains: UnsafeMutablePointer<Float>
  /// The mean powers of the bands of the last frame, with the echo and without the echo that the
  /// network found.
  private(set) var power: Float = 0
  private(set) var powerWithoutEcho: Float = 0
  /// The mean power of the bands of a voice.
  private var voicePower: Float = 0
  private var framesWithoutVoice = 0

  init(kernels: Kernels) {
    self.kernels = kernels
    statistics = LogSpectralGain(kernels: kernels)
    memory = FloatBuffer(3 * Bands.count)
    networkGains = memory.start
    logarithms = networkGains + Bands.count
    gains = logarithms + Bands.count
  }

  /// Computes the gains from those of the network for noise and echo, the powers of the bands, and
  /// the probability of a voice. Runs per frame: no allocation, lock, log or await.
  mutating func compute(
    _ network: MaskNetwork.Gains, powers: UnsafePointer<Float>, voice probability: Float
  ) {
    let (networkGains, logarithms) = (networkGains, logarithms)
    let (noise, echo) = (network.noise, network.echo)
    let statisticalGains = statistics.compute(powers)
    var (sum, sumWithoutEcho, sumOfVoice): (Float, Float, Float) = (0, 0, 0)
    for band in 0..<Bands.count {
      networkGains[band] = max(noise[band], networkGains[band] * Self.fall)
      // The network's gain for echo is the part of the magnitude that is no echo.
      let withoutEcho = echo[band] * echo[band] * powers[band]
      sum += powers[band]
      sumWithoutEcho += withoutEcho
      sumOfVoice += networkGains[band] * networkGains[band] * withoutEcho
    }
    let count = Float(Bands.count)
    (power, powerWithoutEcho) = (sum / count, sumWithoutEcho / count)
    if probability > 0.5 {
      follow(sumOfVoice / count)
    } else {
      framesWithoutVoice = min(framesWithoutVoice + 1, Self.noiseEstimationFrames)
    }
    let weight = weightOfStatistics * sumWithoutEcho / (sum + 1e-12)
    guard weight > 0 else { return gains.update(from: networkGains, count: Bands.count) }
    kernels.table.logarithm(networkGains, 1e-9, logarithms, Int32(Bands.count))
    let weightOfNetwork = 1 - Self.weightReduction * weight
    for band in 0..<Bands.count {
      logarithms[band] =
        weightOfNetwork * logarithms[band] + weight
        * max(statisticalGains[band], Self.minimumLogarithm)
    }
    kernels.table.exponential(logarithms, gains, Int32(Bands.count))
  }

  private mutating func follow(_ power: Float) {
    voicePower += (power > voicePower ? 0.1 : 0.01) * (power - voicePower)
  }

  /// The weight of the statistics, from 0 to 1.
  private var weightOfStatistics: Float {
    let snr = Decibels.level(
      meanSquare: (voicePower + 1e-12) / (statistics.noisePower + 1e-12))
    let known = Float(framesWithoutVoice) / Float(Self.noiseEstimationFrames)
    return known
      * min(max((Self.networkOnlySNR - snr) / (Self.networkOnlySNR - Self.fullWeightSNR), 0), 1)
  }
}
