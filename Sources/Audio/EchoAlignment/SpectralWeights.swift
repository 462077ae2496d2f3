internal import AudioCore

/// The weight of each frequency of a block in the comparison. The phase transform gives all
/// frequencies the same weight. Frequencies without signal get none.
///
/// In the reference, these are frequencies far below the strongest one, which contain only leakage.
/// In the microphone, these are also frequencies that do not stand out from the noise floor, so
/// that a fan does not count. The floor is the minimum of the smoothed power (after R. Martin,
/// "Noise Power Spectral Density Estimation Based on Optimal Smoothing and Minimum Statistics",
/// 2001).
struct SpectralWeights: ~Copyable {
  /// The least power that counts, relative to the strongest frequency: -50 dB.
  private static let leastShare: Float = 1e-5
  /// The ratio of the mean of noise to its smoothed minimum.
  private static let floorBias: Float = 2.5
  private static let floorRise: Float = 1.08
  private static let smoothing: Float = 0.3

  private let smoothed: FloatBuffer
  private let floor: FloatBuffer
  private let weights: FloatBuffer  // of the last block
  private let first: Int
  private let last: Int
  private var isPrimed = false

  /// Creates weights for the frequencies `bins` of a spectrum.
  init(bins: ClosedRange<Int>) {
    first = bins.lowerBound
    last = bins.upperBound
    smoothed = FloatBuffer(bins.upperBound + 1)
    floor = FloatBuffer(bins.upperBound + 1)
    weights = FloatBuffer(bins.upperBound + 1)
  }

  /// Replaces a spectrum of the reference by its phases. Returns how many frequencies count.
  func whiten(reference: Spectrum) -> Int {
    let leastReference = leastPower(reference)
    let (real, imaginary) = (reference.real, reference.imaginary)
    var counting = 0
    for bin in first...last {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let scale = power > leastReference ? 1 / power.squareRoot() : 0
      counting &+= power > leastReference ? 1 : 0
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
    updateFloor(real, imaginary)
    let (floor, weights) = (floor.start, weights.start)
    // The sum has a loop of its own, so that the compiler can vectorize this one.
    for bin in first...last {
      let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let share = max(0, 1 - Self.floorBias * floor[bin] / max(power, 1e-20))
      weights[bin] = power > leastMicrophone ? share : 0
      let scale = power > leastMicrophone ? share / power.squareRoot() : 0
      real[bin] *= scale
      imaginary[bin] *= scale
    }
    var sum: Float = 0
    for bin in first...last { sum += weights[bin] }
    return sum
  }

  private mutating func updateFloor(
    _ real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>
  ) {
    let (smoothed, floor) = (smoothed.start, floor.start)
    if isPrimed {
      for bin in first...last {
        let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
        smoothed[bin] += Self.smoothing * (power - smoothed[bin])
        floor[bin] = min(smoothed[bin], floor[bin] * Self.floorRise + 1e-20)
      }
    } else {
      for bin in first...last {
        let power = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
        smoothed[bin] = power
        floor[bin] = power * 0.01
      }
    }
    isPrimed = true
  }

  /// Returns the power below which a frequency holds only leakage of the strongest frequency, which
  /// may lie below the frequencies that count.
  private func leastPower(_ bins: Spectrum) -> Float {
    var largest = SIMD8<Float>()
    var bin = 1
    while bin + 8 <= last + 1 {
      let real = UnsafeRawPointer(bins.real + bin).loadUnaligned(as: SIMD8<Float>.self)
      let imaginary = UnsafeRawPointer(bins.imaginary + bin).loadUnaligned(as: SIMD8<Float>.self)
      let power = real * real + imaginary * imaginary
      largest.replace(with: power, where: power .> largest)
      bin += 8
    }
    var strongest = largest.max()
    while bin <= last {
      let (real, imaginary) = (bins.real[bin], bins.imaginary[bin])
      strongest = max(strongest, real * real + imaginary * imaginary)
      bin += 1
    }
    return max(strongest * Self.leastShare, 1e-20)
  }
}
