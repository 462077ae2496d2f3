internal import AudioCore
internal import CKernels

/// The mask of a frame, a gain for each bin, from the gains of the mask network for the bands.
struct Mask: ~Copyable {
  /// The number of bands, those from 5.7 kHz on, whose mean gain is used above 8 kHz.
  private static let highest = 8
  /// The first band of those whose noise is hiss, at 1.5 kHz.
  private static let hiss = 30

  private let kernels: Kernels
  private let bands: Bands
  private let binCount: Int
  private let memory: FloatBuffer
  private let gainsOfBands: UnsafeMutablePointer<Float>
  private let echoGains: UnsafeMutablePointer<Float>
  private var noise: NoiseGains
  /// The gains of the bins, padded for the kernels.
  let gains: UnsafeMutablePointer<Float>
  /// The gains of the bins for a recognizer. Nil for an engine without this output.
  let recognizerGains: UnsafeMutablePointer<Float>?
  /// The mean power of the bands of the last frame without its echo.
  private(set) var powerWithoutEcho: Float = 0
  /// The mean power of the bands of the last frame after the gains for echo.
  private(set) var powerAfterEcho: Float = 0
  /// The part of the power of the last frame that was echo. Nil if the mask network did not run.
  private(set) var echoShare: Float? = 0
  /// The part of the power of the last frame after all gains that is echo. Nil if the mask network
  /// did not run.
  private(set) var residualEcho: Float? = 0

  init(bins: Int, hasRecognizer: Bool = false, kernels: Kernels = .best) {
    self.kernels = kernels
    bands = .shared(bins: bins)
    binCount = bins
    let row = Kernels.padded(bins)
    memory = FloatBuffer(2 * Bands.count + (hasRecognizer ? 2 : 1) * row)
    gainsOfBands = memory.start
    echoGains = memory.start + Bands.count
    gains = memory.start + 2 * Bands.count
    recognizerGains = hasRecognizer ? gains + row : nil
    noise = NoiseGains(kernels: kernels)
  }

  /// Records a frame: the gains of the mask network, the powers of the bands and the probability of a
  /// voice. Runs per frame: no allocation, lock, log or await.
  mutating func record(
    _ network: MaskNetwork.Gains, powers: UnsafePointer<Float>, voice probability: Float
  ) {
    noise.compute(network, powers: powers, voice: probability)
    powerWithoutEcho = noise.powerWithoutEcho
    echoShare = noise.power > 1e-11 ? 1 - noise.powerWithoutEcho / noise.power : 0
  }

  /// Computes the mask of the frame that was recorded. `error` has the powers of the bands,
  /// `competingVoices` their gains for competing voices. Runs per frame: no allocation, lock, log or
  /// await.
  ///
  /// - Parameter minimumNoiseGain: The lower limit of the gains for noise.
  mutating func compute(
    _ network: MaskNetwork.Gains, competingVoices: UnsafePointer<Float>,
    _ limits: MaskLimits.Values, error: UnsafePointer<Float>, minimumNoiseGain: Float = 0
  ) {
    var (afterEcho, after, afterWithout): (Float, Float, Float) = (0, 0, 0)
    raise(network.echo, to: limits.echoExponent)
    for band in 0..<Bands.count {
      let echo = max(echoGains[band], limits.echo)
      let limit = max(band < Self.hiss ? limits.noise : limits.hiss, minimumNoiseGain)
      let noiseGain = max(noise.gains[band], limit)
      let gain = echo * noiseGain * max(competingVoices[band], limits.competingVoices)
      gainsOfBands[band] = gain
      let share = network.echo[band] * network.echo[band]
      afterEcho += echo * echo * error[band]
      after += gain * gain * error[band]
      afterWithout += gain * gain * share * error[band]
    }
    powerAfterEcho = afterEcho / Float(Bands.count)
    residualEcho = after > 1e-9 ? 1 - afterWithout / after : 0
    interpolate(into: gains)
    if let recognizerGains {
      computeForRecognizer(network, competingVoices, limits, minimumNoiseGain)
      interpolate(into: recognizerGains)
    }
  }

  /// Computes the gains of the bands for a recognizer, in place of those of the mask. The exponent for
  /// echo and the strong limits on noise do not apply.
  private func computeForRecognizer(
    _ network: MaskNetwork.Gains, _ competingVoices: UnsafePointer<Float>,
    _ limits: MaskLimits.Values, _ minimumNoiseGain: Float
  ) {
    for band in 0..<Bands.count {
      let limit = max(band < Self.hiss ? limits.noise : limits.hiss, minimumNoiseGain)
      gainsOfBands[band] =
        max(network.echo[band], limits.echo)
        * max(noise.gains[band], limit, limits.recognizerNoise)
        * max(competingVoices[band], limits.competingVoices)
    }
  }

  /// Computes the gains of the bins from those of the bands.
  private func interpolate(into gains: UnsafeMutablePointer<Float>) {
    bands.interpolate(gainsOfBands, into: gains)
    guard binCount > bands.bins else { return }
    var sum: Float = 0
    for band in (Bands.count - Self.highest)..<Bands.count { sum += gainsOfBands[band] }
    let mean = sum / Float(Self.highest)
    for bin in bands.bins..<binCount { gains[bin] = mean }
  }

  /// Sets all gains to 1, for a frame with a mean power of `power`. Runs per frame: no allocation,
  /// lock, log or await.
  mutating func open(power: Float) {
    (powerWithoutEcho, powerAfterEcho) = (power, power)
    (echoShare, residualEcho) = (nil, nil)
    gains.update(repeating: 1, count: binCount)
    recognizerGains?.update(repeating: 1, count: binCount)
  }

  /// Raises the gains for echo to a power. 80 bands are a multiple of the kernels' width.
  private func raise(_ gains: UnsafePointer<Float>, to exponent: Float) {
    guard exponent != 1 else { return echoGains.update(from: gains, count: Bands.count) }
    kernels.table.logarithm(gains, 1e-9, gainsOfBands, Int32(Bands.count))
    for band in 0..<Bands.count { gainsOfBands[band] *= exponent }
    kernels.table.exponential(gainsOfBands, echoGains, Int32(Bands.count))
  }
}
