internal import AudioCore
internal import CKernels

/// The part of an echo filter for a range of bins: its partitions, their uncertainty, which is the
/// variance of the estimation error of the Kalman filter, and the spectra of the reference that
/// they filter.
struct FilterBand: ~Copyable {
  /// The power of a part of an echo by that of the part before, 10 ms earlier: 1 dB less in 20 ms.
  private static let decay: Float = 0.886_920_4
  /// The initial uncertainty of the first partition. With a larger one, the filter would adapt to a
  /// near voice with which the call begins.
  private static let initialUncertainty: Float = 0.7

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

  /// Clears the reference, and resets the uncertainty.
  func reset() {
    memory.clear()
    for partition in 0..<partitions { resetUncertainty(of: partition) }
  }

  /// Sets the uncertainty to a share of that of an unknown path.
  func setUncertainty(share: Float) {
    for partition in 0..<partitions { resetUncertainty(of: partition, share: share) }
  }

  /// Sets the uncertainty of a partition to that of an unknown path, or a share of it. Later parts of
  /// an echo are softer.
  private func resetUncertainty(of partition: Int, share: Float = 1) {
    var start = share * Self.initialUncertainty
    for _ in 0..<partition { start *= Self.decay }
    uncertainty(partition).update(repeating: start, count: usedCount)
  }

  /// Sets the uncertainty of each partition to that of the partition `distance` later.
  func shiftUncertainty(by distance: Int) {
    for index in 0..<partitions {
      let partition = distance < 0 ? partitions - 1 - index : index
      let source = partition + distance
      if (0..<partitions).contains(source) {
        uncertainty(partition).update(from: uncertainty(source), count: usedCount)
      } else {
        resetUncertainty(of: partition)
      }
    }
  }

  /// Accepts the spectrum of the reference of a frame.
  mutating func accept(reference spectrum: Spectrum) {
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

  /// Computes the expected power of the error, from the uncertainty, and a tenth of the power that
  /// the first partition would have if the power of all fell with `decay`.
  func measure(
    expected: UnsafeMutablePointer<Float>, level: UnsafeMutablePointer<Float>
  ) {
    withUnsafePointer(to: band) {
      kernels.table.expected_error($0, expected + first, 0.1 * (1 - Self.decay), level + first)
    }
  }

  /// Adapts the partitions to the error. `level` is that of `measure`, and falls from partition to
  /// partition: the process noise of late partitions stays low, however loud the direct sound is.
  func adapt(
    error: Spectrum, divisor: UnsafePointer<Float>, processNoise: UnsafePointer<Float>,
    level: UnsafePointer<Float>, transition: Float
  ) {
    withUnsafePointer(to: band) {
      kernels.table.adapt(
        $0, error.from(first).forC, divisor + first, processNoise + first, level + first,
        Self.decay,
        transition)
    }
  }
}
