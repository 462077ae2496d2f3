internal import AudioCore
internal import CKernels

#if canImport(Glibc)
  internal import Glibc
#endif

/// The inputs of the network that tells other sounds from voices: how level, tonality and steadiness of a
/// sound develop, in 8 groups of frequencies up to 3.8 kHz.
///
/// | values | content |
/// |---|---|
/// | 0..<8 | the logarithm of the group's part of the power |
/// | 8..<16, 16..<24 | the change of the logarithm of the group's power in 20 and in 60 ms |
/// | 24..<32 | the spectral flatness: the mean logarithm of the bins by that of their mean |
/// | 32..<40, 40..<48 | the correlation of the magnitudes with those 40 and 100 ms before |
/// | 48..<56, 56..<64 | how steady the phases advance: their coherence over about 50 and 200 ms |
///
/// The spectra are those of the last 64 ms, at 8 kHz, one every 20 ms. In windows of this length, the
/// partials of an instrument are lines that stay, and those of a voice, whose pitch glides, are not.
/// `training/other-sounds/inputs.py` computes the same.
struct PartialFeatures: ~Copyable {
  static let count = 8 * groups
  /// The samples of a step of 20 ms at 8 kHz.
  static let step = 160
  private static let size = 512
  private static let groups = 8
  private static let bins = Kernels.padded(243)
  /// The steps that are kept: levels and magnitudes are compared with those of up to 5 steps before.
  private static let steps = 6
  /// The parts by which the two means of the advance of the phases follow a step.
  private static let quickRate: Float = 0.4
  private static let slowRate: Float = 0.1
  /// The values of all arrays.
  private static let capacity = 6_664
  /// The power of a bin that counts as silence.
  private static let softest: Float = 1e-9
  private static let window = FloatTable(size) { window in
    for index in 0..<size {
      window[index] = Float(0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(size)))
    }
  }

  /// The mean of the products of each bin with its conjugate one step before, and of their
  /// magnitudes.
  private struct Advance {
    let rate: Float
    let mean: Spectrum
    let magnitude: UnsafeMutablePointer<Float>
  }

  /// The magnitudes of the bins and the levels of the groups in the last steps, two rings.
  private struct History {
    private let allMagnitudes: UnsafeMutablePointer<Float>
    private let allLevels: UnsafeMutablePointer<Float>
    private var newest = 0

    init(_ memory: inout FloatArena) {
      allMagnitudes = memory.array(steps * bins)
      allLevels = memory.array(steps * groups)
      allMagnitudes.update(repeating: softest.squareRoot(), count: steps * bins)
      allLevels.update(repeating: log(softest), count: steps * groups)
    }

    mutating func advance() { newest = (newest + 1) % PartialFeatures.steps }

    /// The magnitudes of the bins, some steps before the newest.
    func magnitudes(_ steps: Int) -> UnsafeMutablePointer<Float> {
      allMagnitudes + place(steps) * bins
    }

    /// The levels of the groups, some steps before the newest.
    func levels(_ steps: Int) -> UnsafeMutablePointer<Float> { allLevels + place(steps) * groups }

    private func place(_ steps: Int) -> Int {
      (newest + PartialFeatures.steps - steps) % PartialFeatures.steps
    }
  }

  private let kernels: Kernels
  private let fft: RealFFT
  private let memory: FloatArena
  private let window = Self.window
  /// The first bin of each group, and the bin behind the last one. A bin is 15.6 Hz wide.
  private let edges = [6, 19, 32, 51, 77, 109, 147, 192, 243]
  /// The last 64 ms.
  private let samples: UnsafeMutablePointer<Float>
  private let block: UnsafeMutablePointer<Float>
  private let spectrum: Spectrum
  private let former: Spectrum
  private let powers: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>
  private let groupPowers: UnsafeMutablePointer<Float>
  private let advances: (quick: Advance, slow: Advance)
  private var history: History
  private let values: UnsafeMutablePointer<Float>

  init(kernels: Kernels) {
    self.kernels = kernels
    var memory = FloatArena(capacity: Self.capacity)
    samples = memory.array(Self.size)
    block = memory.array(Self.size)
    spectrum = memory.spectrum(Kernels.padded(Self.size / 2 + 1))
    former = memory.spectrum(Self.bins)
    powers = memory.array(Self.bins)
    scratch = memory.array(Self.bins)
    groupPowers = memory.array(Self.groups)
    history = History(&memory)
    values = memory.array(Self.count)
    fft = RealFFT(size: Self.size, kernels: kernels, work: memory.array(2 * Self.size))
    let quick = Advance(
      rate: Self.quickRate, mean: memory.spectrum(Self.bins), magnitude: memory.array(Self.bins))
    let slow = Advance(
      rate: Self.slowRate, mean: memory.spectrum(Self.bins), magnitude: memory.array(Self.bins))
    advances = (quick, slow)
    self.memory = memory
  }

  /// The features of the last step: `count` values.
  var current: UnsafePointer<Float> { UnsafePointer(values) }

  /// Adds 20 ms at 8 kHz, and computes their features. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func add(_ step: UnsafePointer<Float>) {
    let kept = Self.size - Self.step
    samples.update(from: samples + Self.step, count: kept)
    (samples + kept).update(from: step, count: Self.step)
    kernels.table.multiply(samples, window.start, block, Int32(Self.size))
    fft.forward(block, into: spectrum)
    history.advance()
    computePowers()
    computeLevels()
    computeCorrelation(2, into: values + 4 * Self.groups)
    computeCorrelation(5, into: values + 5 * Self.groups)
    computeCoherence(advances.quick, into: values + 6 * Self.groups)
    computeCoherence(advances.slow, into: values + 7 * Self.groups)
    former.copy(spectrum, bins: Self.bins)
  }

  private func range(_ group: Int) -> Range<Int> { edges[group]..<edges[group + 1] }

  /// The sum of the values of a group's bins.
  private func sum(_ values: UnsafePointer<Float>, _ group: Int) -> Float {
    let bins = range(group)
    return FloatBuffer.mean(values + bins.lowerBound, bins.count) * Float(bins.count)
  }

  /// Computes powers and magnitudes of the bins, and powers and levels of the groups.
  private func computePowers() {
    let bins = ck_complex(real: spectrum.real, imaginary: spectrum.imaginary)
    kernels.table.power(bins, powers, Int32(Self.bins))
    let magnitude = history.magnitudes(0)
    for bin in 0..<Self.bins {
      powers[bin] += Self.softest
      magnitude[bin] = powers[bin].squareRoot()
    }
    for group in 0..<Self.groups { groupPowers[group] = sum(powers, group) }
    kernels.table.logarithm(groupPowers, 0, history.levels(0), Int32(Self.groups))
  }

  /// Computes the levels of the groups, their changes and the spectral flatness.
  private func computeLevels() {
    let level = history.levels(0)
    let total = log(Float(Self.groups) * FloatBuffer.mean(groupPowers, Self.groups))
    let (near, far) = (history.levels(1), history.levels(3))
    kernels.table.logarithm(powers, 0, scratch, Int32(Self.bins))
    for group in 0..<Self.groups {
      let bins = range(group)
      let mean = FloatBuffer.mean(scratch + bins.lowerBound, bins.count)
      values[group] = (level[group] - total) / 4
      values[Self.groups + group] = (level[group] - near[group]) / 3
      values[2 * Self.groups + group] = (level[group] - far[group]) / 3
      values[3 * Self.groups + group] = (mean - level[group] + log(Float(bins.count))) / 2
    }
  }

  /// Computes the correlation of the magnitudes of each group with those some steps before.
  private func computeCorrelation(_ steps: Int, into output: UnsafeMutablePointer<Float>) {
    let (now, before) = (history.magnitudes(0), history.magnitudes(steps))
    for group in 0..<Self.groups {
      let (first, count) = (edges[group], range(group).count)
      let product = FloatBuffer.product(now + first, before + first, count)
      let power = FloatBuffer.product(before + first, before + first, count)
      output[group] = 2 * product / (groupPowers[group] * power).squareRoot() - 1
    }
  }

  /// Computes, for each group, how much of the magnitudes remains in the mean of the products.
  private func computeCoherence(_ advance: Advance, into output: UnsafeMutablePointer<Float>) {
    let (mean, rate) = (advance.mean, advance.rate)
    kernels.table.smooth_cross(
      ck_complex(real: spectrum.real, imaginary: spectrum.imaginary),
      ck_complex(real: former.real, imaginary: former.imaginary), rate,
      ck_mutable_complex(real: mean.real, imaginary: mean.imaginary), Int32(Self.bins))
    kernels.table.multiply(history.magnitudes(0), history.magnitudes(1), scratch, Int32(Self.bins))
    let bins = ck_complex(real: mean.real, imaginary: mean.imaginary)
    for bin in 0..<Self.bins {
      advance.magnitude[bin] += rate * (scratch[bin] - advance.magnitude[bin])
    }
    kernels.table.power(bins, scratch, Int32(Self.bins))
    for bin in 0..<Self.bins { scratch[bin] = scratch[bin].squareRoot() }
    for group in 0..<Self.groups {
      output[group] = 2 * sum(scratch, group) / (sum(advance.magnitude, group) + Self.softest) - 1
    }
  }
}
