internal import Spectral

/// What each frequency of a block is worth for the comparison: the phase transform gives all the
/// same, and this takes it from those that hold nothing.
///
/// In the reference that is what lies far below the strongest, where only leakage is left. In the
/// microphone it is also what does not stand out from its own noise floor, followed by the minimum
/// of the smoothed power (after R. Martin, "Noise Power Spectral Density Estimation Based on Optimal
/// Smoothing and Minimum Statistics", 2001), so that a fan does not vote.
struct SpectralWeights: ~Copyable {
  /// Of the strongest frequency's power, -50 dB.
  private static let leastShare: Float = 1e-5
  /// Of the smoothed minimum to the mean.
  private static let floorBias: Float = 2.5
  private static let floorRise: Float = 1.08
  private static let smoothing: Float = 0.3

  private let smoothed: FloatBuffer
  private let floor: FloatBuffer
  private let first: Int
  private let last: Int
  private var isPrimed = false

  /// For the frequencies `bins` of a spectrum.
  init(bins: ClosedRange<Int>) {
    first = bins.lowerBound
    last = bins.upperBound
    smoothed = FloatBuffer(bins.upperBound + 1)
    floor = FloatBuffer(bins.upperBound + 1)
  }

  /// Replaces a spectrum of the reference by its phases. Returns how many frequencies count.
  func whiten(reference: Spectrum) -> Int {
    let leastReference = leastPower(reference)
    let (real, imaginary) = (reference.real, reference.imaginary)
    var counting = 0
    for bin in first...last {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let scale = power > leastReference ? 1 / power.squareRoot() : 0
      counting += power > leastReference ? 1 : 0
      real[bin] *= scale
      imaginary[bin] *= scale
    }
    return counting
  }

  /// Replaces a spectrum of the microphone by its phases, weighted by how far each frequency stands
  /// out from the noise. Returns the sum of the weights.
  mutating func whiten(microphone: Spectrum) -> Float {
    let leastMicrophone = leastPower(microphone)
    let (real, imaginary) = (microphone.real, microphone.imaginary)
    var sum: Float = 0
    for bin in first...last {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let mean = smoothed.start[bin] + Self.smoothing * (power - smoothed.start[bin])
      smoothed.start[bin] = isPrimed ? mean : power
      floor.start[bin] =
        isPrimed ? min(mean, floor.start[bin] * Self.floorRise + 1e-20) : power * 0.01
      let weight = max(0, 1 - Self.floorBias * floor.start[bin] / max(power, 1e-20))
      let scale = power > leastMicrophone ? weight / power.squareRoot() : 0
      sum += power > leastMicrophone ? weight : 0
      real[bin] *= scale
      imaginary[bin] *= scale
    }
    isPrimed = true
    return sum
  }

  /// Returns the power below which a frequency holds only what leaked from the strongest one,
  /// which may lie below the frequencies that count.
  private func leastPower(_ bins: Spectrum) -> Float {
    var strongest: Float = 0
    for bin in 1...last {
      let (real, imaginary) = (bins.real[bin], bins.imaginary[bin])
      strongest = max(strongest, real * real + imaginary * imaginary)
    }
    return max(strongest * Self.leastShare, 1e-20)
  }
}
