internal import CKernels
internal import Spectral

/// The part of an echo filter for a range of bins: its partitions, how uncertain they are, and the
/// spectra of the reference that they filter.
struct FilterBand: ~Copyable {
  /// The power of a part of an echo by that of the part before, 10 ms earlier: 1 dB less in 20 ms.
  private static let decay: Float = 0.886_920_4
  /// The uncertainty of the first partition before anything is known. A greater one would take parts of a
  /// near voice with which the call begins for echo.
  private static let firstDoubt: Float = 0.7

  private let kernels: Kernels
  private let first: Int
  /// The number of bins, padded for the kernels, and without the padding.
  private let count: Int
  private let usedCount: Int
  private let partitions: Int
  private let memory: FloatBuffer
  /// The spectra of the partitions, the same for kernels, and the reference that each filters.
  private let spectra: [Spectrum]
  private let filters: [ck_complex]
  private var played: [ck_complex]
  private var newest = 0

  /// Creates a band.
  ///
  /// - Parameters:
  ///   - bins: The padded range of the band.
  ///   - used: The number of bins of the whole filter, without the padding.
  ///   - filters: The whole spectra of the partitions. The caller owns them.
  init(_ bins: Range<Int>, used: Int, filters: some Collection<Spectrum>, kernels: Kernels) {
    self.kernels = kernels
    first = bins.lowerBound
    count = bins.count
    usedCount = min(bins.upperBound, used) - min(bins.lowerBound, used)
    partitions = bins.isEmpty ? 0 : filters.count
    spectra = filters.prefix(partitions).map { [first] in $0.from(first) }
    self.filters = spectra.map(\.forC)
    // Not a copy of `filters`, whose first change would allocate.
    played = spectra.map(\.forC)
    memory = FloatBuffer((2 * (partitions + 1) + partitions) * count)
  }

  /// The reference has one spectrum more than the filter: the last frame's oldest.
  private var references: Int { partitions + 1 }

  /// The reference that a partition filters, in an earlier frame.
  private func reference(of partition: Int, framesAgo: Int = 0) -> Spectrum {
    let start = memory.start + 2 * ((newest + partition + framesAgo) % references) * count
    return Spectrum(real: start, imaginary: start + count)
  }

  private func uncertainty(_ partition: Int) -> UnsafeMutablePointer<Float> {
    memory.start + (2 * references + partition) * count
  }

  /// Forgets the reference, and what the filter has learned about its own precision.
  func reset() {
    memory.clear()
    for partition in 0..<partitions { doubt(partition) }
  }

  /// Gives a partition the uncertainty of a path that is not known. Later parts of an echo are softer.
  private func doubt(_ partition: Int) {
    var start = Self.firstDoubt
    for _ in 0..<partition { start *= Self.decay }
    uncertainty(partition).update(repeating: start, count: usedCount)
  }

  /// Gives each partition the uncertainty of the one that comes `distance` later.
  func shiftUncertainty(by distance: Int) {
    for index in 0..<partitions {
      let partition = distance < 0 ? partitions - 1 - index : index
      let source = partition + distance
      if (0..<partitions).contains(source) {
        uncertainty(partition).update(from: uncertainty(source), count: usedCount)
      } else {
        doubt(partition)
      }
    }
  }

  /// Takes the spectrum of the reference of a frame.
  mutating func hear(_ spectrum: Spectrum) {
    newest = (newest + references - 1) % references
    reference(of: 0).copy(spectrum.from(first), bins: count)
  }

  /// Estimates the echo of a frame with the filter as it is now.
  mutating func estimate(framesAgo: Int, into echo: Spectrum) {
    for partition in 0..<partitions {
      played[partition] = reference(of: partition, framesAgo: framesAgo).forC
    }
    kernels.table.sum_of_products(
      played, filters, Int32(partitions), echo.from(first).mutableForC, 0, Int32(count))
  }

  /// Computes the power of the error that the uncertainty lets expect, and a tenth of the power that the
  /// first partition would have if the power of all fell with `decay`.
  func measure(
    expected: UnsafeMutablePointer<Float>, level: UnsafeMutablePointer<Float>
  ) {
    let (expected, level) = (expected + first, level + first)
    expected.update(repeating: 0, count: count)
    level.update(repeating: 0, count: count)
    for partition in 0..<partitions {
      kernels.table.weigh_power(
        reference(of: partition).forC, uncertainty(partition), expected, Int32(count))
      kernels.table.add_power(filters[partition], level, Int32(count))
    }
    let share = 0.1 * (1 - Self.decay)
    for bin in 0..<count {
      expected[bin] *= 0.5
      level[bin] *= share
    }
  }

  /// Lets the partitions learn from the error. `level` is that of `measure`, and falls from partition to
  /// partition: late ones stay precise, however loud the direct sound is.
  func adapt(
    error: Spectrum, divisor: UnsafePointer<Float>, growth: UnsafePointer<Float>,
    level: UnsafeMutablePointer<Float>, kept: Float
  ) {
    let level = level + first
    for partition in 0..<partitions {
      kernels.table.adapt(
        ck_partition(
          filter: spectra[partition].mutableForC, uncertainty: uncertainty(partition),
          reference: reference(of: partition).forC),
        error.from(first).forC, divisor + first, growth + first, level, kept, Int32(count))
      for bin in 0..<count { level[bin] *= Self.decay }
    }
  }
}
