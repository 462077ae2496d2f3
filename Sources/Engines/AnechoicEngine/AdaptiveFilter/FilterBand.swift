internal import AudioCore
internal import CKernels

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
  /// The number of bins without the padding.
  private let usedCount: Int
  private let memory: FloatBuffer
  private var band: ck_band

  /// Creates a band.
  ///
  /// - Parameters:
  ///   - bins: The padded range of the band.
  ///   - used: The number of bins of the whole filter, without the padding.
  ///   - partitions: The number of partitions.
  ///   - spectra: The spectra of the partitions, which the caller owns.
  init(
    _ bins: Range<Int>, used: Int, partitions: Int, of spectra: PartitionSpectra, kernels: Kernels
  ) {
    self.kernels = kernels
    first = bins.lowerBound
    usedCount = min(bins.upperBound, used) - min(bins.lowerBound, used)
    let (count, partitions) = (bins.count, bins.isEmpty ? 0 : partitions)
    // The reference has one spectrum more than the filter: the last frame's oldest.
    let references = 2 * (partitions + 1) * count
    memory = FloatBuffer(references + partitions * count)
    let (filters, distance) = spectra.place(of: bins)
    band = ck_band(
      partitions: Int32(partitions), count: Int32(count), filters: filters,
      filter_distance: Int32(distance), uncertainty: memory.start + references,
      references: memory.start, newest: 0)
  }

  private var count: Int { Int(band.count) }
  private var partitions: Int { Int(band.partitions) }

  private func uncertainty(_ partition: Int) -> UnsafeMutablePointer<Float> {
    band.uncertainty + partition * count
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
    band.newest = (band.newest == 0 ? band.partitions + 1 : band.newest) - 1
    let start = band.references + 2 * Int(band.newest) * count
    start.update(from: spectrum.real + first, count: count)
    (start + count).update(from: spectrum.imaginary + first, count: count)
  }

  /// Estimates the echo of this frame, or of an earlier one, with the filter as it is now.
  func estimate(framesAgo: Int, into echo: Spectrum) {
    withUnsafePointer(to: band) {
      kernels.table.estimate($0, Int32(framesAgo), echo.from(first).mutableForC)
    }
  }

  /// Computes the power of the error that is expected from the uncertainty, and a tenth of the
  /// power that the first partition would have if the power of all partitions fell with `decay`.
  func measure(
    expected: UnsafeMutablePointer<Float>, level: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: band) {
      kernels.table.expect($0, expected + first, 0.1 * (1 - Self.decay), level + first)
    }
  }

  /// Lets the partitions learn from the error. `level` is that of `measure`, and falls from
  /// partition to partition, so that late partitions stay precise even if the direct sound is loud.
  func adapt(
    error: Spectrum, divisor: UnsafePointer<Float>, growth: UnsafePointer<Float>,
    level: UnsafePointer<Float>, kept: Float
  ) {
    withUnsafePointer(to: band) {
      kernels.table.adapt(
        $0, error.from(first).forC, divisor + first, growth + first, level + first, Self.decay,
        kept)
    }
  }
}
