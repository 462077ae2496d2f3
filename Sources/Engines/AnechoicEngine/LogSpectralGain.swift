internal import AudioCore
internal import CKernels

/// The log-spectral amplitude estimator: a gain against noise for each band that follows from the
/// statistics of noise and voice alone.
///
/// The noise power is tracked by the probability of voice presence (Gerkmann and Hendriks,
/// "Unbiased MMSE-based noise power estimation", 2012). The gain minimizes the mean square error of
/// the log amplitude, with a decision-directed a priori signal-to-noise ratio (Ephraim and Malah,
/// "Speech enhancement using a minimum mean-square error log-spectral amplitude estimator", 1985).
struct LogSpectralGain: ~Copyable {
  private static let smallestPower: Float = 1e-10
  /// The a priori signal-to-noise ratio (SNR) that the probability of voice presence assumes.
  private static let typicalSNR: Float = 5
  /// The part of the last noise power that remains in a frame.
  private static let kept: Float = 0.8
  /// The weight of the last frame in the decision-directed a priori SNR, and the minimum of the a
  /// priori SNR, -25 dB.
  private static let decisionDirected: Float = 0.92
  private static let minimumPriorSNR: Float = 0.003
  /// The number of frames at the start of a call that count as noise.
  private static let startFrames = 8

  private let kernels: Kernels
  private let memory: FloatBuffer
  private let noise: UnsafeMutablePointer<Float>
  /// The power of the voice in the last frame.
  private let voice: UnsafeMutablePointer<Float>
  /// The probability of voice, smoothed over frames.
  private let presence: UnsafeMutablePointer<Float>
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private let wienerGains: UnsafeMutablePointer<Float>
  private let logarithms: UnsafeMutablePointer<Float>
  private var frames = 0
  /// The mean power of the noise of the bands.
  private(set) var noisePower: Float = 0

  init(kernels: Kernels) {
    self.kernels = kernels
    let count = Bands.count
    memory = FloatBuffer(7 * count)
    noise = memory.start
    voice = noise + count
    presence = voice + count
    input = presence + count
    output = input + count
    wienerGains = output + count
    logarithms = wienerGains + count
  }

  /// Returns the logarithms of the gains for the powers of the bands of a frame. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func compute(_ powers: UnsafePointer<Float>) -> UnsafePointer<Float> {
    if frames < Self.startFrames {
      frames += 1
      let noise = noise
      for band in 0..<Bands.count { noise[band] += (powers[band] - noise[band]) / Float(frames) }
    }
    followNoise(powers)
    findGains(powers)
    return UnsafePointer(logarithms)
  }

  // The loops below are compiled for several bands at a time, because the pointers are constants
  // and no loop that computes a row also adds it up.

  private mutating func followNoise(_ powers: UnsafePointer<Float>) {
    let (noise, presence, input, output) = (noise, presence, input, output)
    let (typical, kept, minimum) = (Self.typicalSNR, Self.kept, Self.smallestPower)
    for band in 0..<Bands.count {
      let ratio = powers[band] / (noise[band] + minimum)
      input[band] = -min(ratio * (typical / (1 + typical)), 80)
    }
    kernels.table.exponential(input, output, Int32(Bands.count))
    for band in 0..<Bands.count {
      let probability = 1 / (1 + (1 + typical) * output[band])
      presence[band] += 0.1 * (probability - presence[band])
      // Without this bound, noise that has become louder for good would count as voice for ever.
      let bounded = presence[band] > 0.99 ? min(probability, 0.99) : probability
      let found = bounded * noise[band] + (1 - bounded) * powers[band]
      noise[band] = max(kept * noise[band] + (1 - kept) * found, minimum)
    }
    var sum: Float = 0
    for band in 0..<Bands.count { sum += noise[band] }
    noisePower = sum / Float(Bands.count)
  }

  private func findGains(_ powers: UnsafePointer<Float>) {
    let (noise, voice, input, output) = (noise, voice, input, output)
    let (wienerGains, logarithms, count) = (wienerGains, logarithms, Int32(Bands.count))
    let (decisionDirected, minimum) = (Self.decisionDirected, Self.minimumPriorSNR)
    for band in 0..<Bands.count {
      let posteriorSNR = min(powers[band] / noise[band], 1e4)
      let before = decisionDirected * voice[band] / noise[band]
      let priorSNR = max(before + (1 - decisionDirected) * max(posteriorSNR - 1, 0), minimum)
      wienerGains[band] = priorSNR / (1 + priorSNR)
      let argument = wienerGains[band] * posteriorSNR + 1e-6
      input[band] = -argument
      // The exponential integral of x is about exp(-x) * log(1 + exp(-0.577) / x).
      output[band] = 0.5615 / argument
    }
    kernels.table.logarithm(output, 1, logarithms, count)
    kernels.table.exponential(input, output, count)
    for band in 0..<Bands.count { input[band] = 0.5 * output[band] * logarithms[band] }
    kernels.table.logarithm(wienerGains, 0, output, count)
    for band in 0..<Bands.count { logarithms[band] = min(output[band] + input[band], 0) }
    kernels.table.exponential(logarithms, output, count)
    for band in 0..<Bands.count { voice[band] = output[band] * output[band] * powers[band] }
  }
}
