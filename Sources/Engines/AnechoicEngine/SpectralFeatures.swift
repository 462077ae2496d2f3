internal import AudioCore
internal import CKernels

#if canImport(Glibc)
  internal import Glibc
#endif

/// The features of a call, the input of the mask network: for each band the levels of four signals,
/// the coherence of the error with the echo estimate, the level of the error above its noise floor,
/// and its level above the leakage, which is the smallest recent ratio of error to echo estimate.
/// `training/features.py` computes the same.
///
/// A dither of -80 dBFS, or -70 dBFS while the microphone is silent, is added to the powers of the
/// error and of the microphone in the features, but not to the output: the training data are
/// recordings, and contain no digital silence. A voice after silence is then detected as early as
/// in a quiet room. `SteadyHum`, which the training data do not have, is left out. The levels of
/// loud calls are normalized (`LevelNormalization`).
struct SpectralFeatures: ~Copyable {
  static let count = 7
  private static let smallestPower: Float = 1e-10
  private static let smoothing: Float = 0.2
  /// The mean power, -77 dBFS, below which a frame is silent. In silence, the floor says nothing
  /// about the noise that follows. An error that has been more than 20 dB above its floor for more
  /// than 0.75 s, and since at most 0.2 s after the last silence, is noise, because a voice has
  /// pauses: the floor then rises by 21 dB a second instead of 2.
  private static let silence: Float = 2e-8
  /// The gain of the dither in silence, for powers.
  private static let silentDitherGain: Float = 10
  /// The noise floor of each band before anything is known of the noise.
  private static let initialFloor: Float = 1e-2
  private static let farAbove: Float = 100
  /// The maximum of the level above the floor: 43 dB, divided by 4 as the feature is. Larger values
  /// carry no more information and are rare in the training data: the network lost words of loud
  /// voices in quiet rooms.
  private static let maximumAboveFloor: Float = 2.5
  private static let noiseFrames: Float = 75
  private static let onsetFrames: Float = 20

  /// The signals of a frame, as spectra in which white noise has its own power in each bin.
  struct Signals {
    let error: Spectrum
    let echo: Spectrum
    let microphone: Spectrum
    let reference: Spectrum
  }

  /// The mean powers of all bands in a frame.
  struct MeanPowers {
    /// The power without echo, as far as the linear stage removed it.
    var error: Float = 0
    /// The power of the echo that the linear stage removed.
    var echo: Float = 0
    var microphone: Float = 0
    var reference: Float = 0
  }

  /// Values of each band that follow the powers of the frames, and the cross-spectrum of error and
  /// echo.
  private struct Averages {
    let error: UnsafeMutablePointer<Float>
    let echo: UnsafeMutablePointer<Float>
    let floor: UnsafeMutablePointer<Float>
    let framesFarAboveFloor: UnsafeMutablePointer<Float>
    let leakage: UnsafeMutablePointer<Float>
    let cross: Spectrum
    let hum: SteadyHum
  }

  private let kernels: Kernels
  private let bands: Bands
  private let binCount: Int
  /// Kept here, because a global value is made when it is first used, which would be in a frame.
  private let dither = FeatureDither.table
  private let row = Kernels.padded(Bands.count)
  private let memory: FloatBuffer

  // State, kept between frames.
  private let averages: Averages
  private var levelNormalization = LevelNormalization()
  private var frame = 0
  /// The frames since the last silence, and those of the silence up to now.
  private var silence: (framesSince: Float, frames: Int) = (.greatestFiniteMagnitude, 0)
  // Results of one frame.
  private let powers: UnsafeMutablePointer<Float>  // Of four signals, and of the cross-spectrum.
  private let ditheredPowers: UnsafeMutablePointer<Float>  // Of the four signals, with the dither.
  private let levels: UnsafeMutablePointer<Float>
  private let binPowers: UnsafeMutablePointer<Float>

  /// Returns how many values of a spectrum the features read: the bins up to 8 kHz, padded.
  static func row(bins: Int) -> Int { Kernels.padded(min(bins, Bands.mostBins)) }

  init(bins: Int, bands: Bands, kernels: Kernels) {
    self.kernels = kernels
    self.bands = bands
    binCount = Self.row(bins: bins)
    // Rows of bands: 5 kept, 5 powers, 4 with dither and 6 logarithms. Rows of bins: the
    // cross-spectrum and powers.
    memory = FloatBuffer(20 * row + 3 * binCount + SteadyHum.capacity)
    powers = memory.start + 5 * row
    ditheredPowers = powers + 5 * row
    levels = ditheredPowers + 4 * row
    let start = levels + 6 * row
    binPowers = start + 2 * binCount
    averages = Averages(
      error: memory.start, echo: memory.start + row, floor: memory.start + 2 * row,
      framesFarAboveFloor: memory.start + 3 * row, leakage: memory.start + 4 * row,
      cross: Spectrum(real: start, imaginary: start + binCount),
      hum: SteadyHum(binPowers + binCount))
    averages.error.update(repeating: Self.smallestPower, count: row)
    averages.echo.update(repeating: Self.smallestPower, count: row)
    averages.floor.update(repeating: Self.initialFloor, count: row)
    averages.leakage.update(repeating: 1e2, count: row)
  }

  /// Whether the microphone has been silent for a second.
  var hasLongSilence: Bool { silence.frames >= 100 }

  /// The power of each band of the last frame, without echo as far as the linear stage removed it.
  var errorPowers: UnsafePointer<Float> { UnsafePointer(powers) }
  /// The gains that remove the hum of the last frame, for the bands of `SteadyHum`.
  var humGains: UnsafePointer<Float> { UnsafePointer(averages.hum.gains) }
  /// The mean powers of the last frame.
  private(set) var means = MeanPowers()

  /// Computes the features of a frame, each a channel of `features`. Runs per frame: no allocation,
  /// lock, log or await.
  mutating func compute(_ signals: Signals, into features: BandRows) {
    let count = Int32(binCount)
    func average(_ spectrum: Spectrum, _ index: Int) -> Float {
      kernels.table.power(spectrum.forC, binPowers, count)
      bands.average(binPowers, into: powers + index * row)
      return FloatBuffer.mean(powers + index * row, Bands.count)
    }
    means.error = average(signals.error, 0)
    means.echo = average(signals.echo, 1)
    means.microphone = average(signals.microphone, 2)
    means.reference = average(signals.reference, 3)
    addDither()
    smooth(signals)
    kernels.table.logarithm(ditheredPowers, Self.smallestPower, levels, Int32(4 * row))
    let softer = log(levelNormalization.factor)
    for index in 0..<4 {
      let (level, feature) = (levels + index * row, features.row(index))
      let shift = (index < 3 ? softer / 8 : 0) + 1.4
      for band in 0..<Bands.count { feature[band] = level[band] / 8 + shift }
    }
    computeRatios(into: features)
  }

  private mutating func addDither() {
    let dither = self.dither.start + frame * Bands.count
    frame = (frame + 1) % FeatureDither.frames
    ditheredPowers.update(from: powers, count: 4 * row)
    averages.hum.remove(from: ditheredPowers, and: ditheredPowers + 2 * row)
    levelNormalization.record(means.microphone)
    let isSilent = means.microphone < Self.silence
    silence.framesSince = isSilent ? 0 : silence.framesSince + 1
    silence.frames = isSilent ? min(silence.frames + 1, 100) : 0
    let gain = (isSilent ? Self.silentDitherGain : 1) / levelNormalization.factor
    let ditheredPowers = ditheredPowers
    for band in 0..<Bands.count {
      ditheredPowers[band] += gain * dither[band]
      ditheredPowers[2 * row + band] += gain * dither[band]
    }
  }

  private mutating func smooth(_ signals: Signals) {
    let rate = Self.smoothing
    let least = max(Self.noiseFrames, silence.framesSince - Self.onsetFrames)
    // The loop reads these pointers once.
    let (error, echo) = (averages.error, averages.echo)
    let (floor, leakage) = (averages.floor, averages.leakage)
    let (framesFarAboveFloor, newError) = (averages.framesFarAboveFloor, ditheredPowers)
    let newEcho = newError + row
    for band in 0..<row {
      error[band] += rate * (newError[band] - error[band])
      echo[band] += rate * (newEcho[band] - echo[band])
      framesFarAboveFloor[band] =
        error[band] > Self.farAbove * floor[band] ? framesFarAboveFloor[band] + 1 : 0
      let rise: Float = framesFarAboveFloor[band] > least ? 1.05 : 1.004
      floor[band] = min(error[band], floor[band] * rise) + Self.smallestPower
      let ratio =
        (error[band] + Self.smallestPower)
        / (echo[band] + 1e-3 * error[band] + Self.smallestPower)
      leakage[band] = min(ratio, leakage[band] * 1.003 + 1e-6)
    }
    kernels.table.smooth_cross(
      signals.error.forC, signals.echo.forC, rate, averages.cross.mutableForC, Int32(binCount))
    kernels.table.power(averages.cross.forC, binPowers, Int32(binCount))
    bands.average(binPowers, into: powers + 4 * row)
  }

  private func computeRatios(into features: BandRows) {
    let (floors, leakages) = (levels + 4 * row, levels + 5 * row)
    let (coherences, aboveFloor, aboveLeakage) = (features.row(4), features.row(5), features.row(6))
    let (error, echo, leakage) = (averages.error, averages.echo, averages.leakage)
    let levels = levels
    let cross = powers + 4 * row
    kernels.table.logarithm(averages.floor, 0, floors, Int32(row))
    for band in 0..<Bands.count { aboveLeakage[band] = leakage[band] * echo[band] }
    kernels.table.logarithm(aboveLeakage, Self.smallestPower, leakages, Int32(row))
    for band in 0..<Bands.count {
      // Bounds the effect of rounding where the echo is almost silent.
      let least = Self.smallestPower * (error[band] + Self.smallestPower)
      let coherence = cross[band] / (error[band] * echo[band] + least)
      coherences[band] = min(coherence, 2)
      aboveFloor[band] = min((levels[band] - floors[band]) / 4, Self.maximumAboveFloor)
      aboveLeakage[band] = min(max((levels[band] - leakages[band]) / 4, -3), 3)
    }
  }
}

/// The dither of the features: powers of a white noise of -80 dBFS in the bands, for a number of
/// frames after which they repeat.
enum FeatureDither {
  static let frames = 64
  private static let power = 1e-8

  /// Frames x bands.
  static let table = FloatTable(frames * Bands.count) { powers in
    // A linear congruential generator (Numerical Recipes, 1992), as in `training/features.py`.
    var state: UInt32 = 1
    for index in 0..<(frames * Bands.count) {
      state = state &* 1_664_525 &+ 1_013_904_223
      // The power of white noise in a bin is distributed exponentially.
      powers[index] = Float(-power * log((Double(state >> 8) + 0.5) / 16_777_216))
    }
  }
}
