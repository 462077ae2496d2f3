internal import AudioCore

/// The spectra of the partitions of an echo filter. All reach up to 8 kHz, although late ones
/// filter less, because a response that ends with its partition contains energy in all bins. Above
/// 8 kHz there is little of that, and only the partitions that filter something there have bins.
struct PartitionSpectra {
  /// The number of partitions.
  let count: Int
  /// The number of partitions with bins above 8 kHz.
  private let highCount: Int
  private let sizes: EchoFilter.Sizes
  private let low: UnsafeMutablePointer<Float>
  private let high: UnsafeMutablePointer<Float>

  /// The number of values that the spectra need.
  static func valueCount(_ sizes: EchoFilter.Sizes, count: Int, highCount: Int) -> Int {
    2 * (count * sizes.lowRow + highCount * (sizes.row - sizes.lowRow))
  }

  init(_ sizes: EchoFilter.Sizes, count: Int, highCount: Int, in memory: inout FloatArena) {
    (self.sizes, self.count, self.highCount) = (sizes, count, highCount)
    low = memory.array(2 * count * sizes.lowRow)
    high = memory.array(2 * highCount * (sizes.row - sizes.lowRow))
  }

  /// Returns where the real parts of a range of bins of the first partition are, and how many
  /// values later the imaginary parts are. The next partition is twice as far away. A range lies on
  /// one side of 8 kHz.
  func place(of bins: Range<Int>) -> (start: UnsafeMutablePointer<Float>, distance: Int) {
    bins.lowerBound < sizes.lowRow
      ? (low + bins.lowerBound, sizes.lowRow)
      : (high + bins.lowerBound - sizes.lowRow, sizes.row - sizes.lowRow)
  }

  /// The spectrum of a partition from the first bin of a side of 8 kHz on.
  private func part(_ partition: Int, from first: Int) -> Spectrum {
    let (start, distance) = place(of: first..<first)
    let real = start + 2 * partition * distance
    return Spectrum(real: real, imaginary: real + distance)
  }

  /// Copies the spectrum of a partition, with zeros where the partition has no bins.
  func copy(_ partition: Int, to spectrum: Spectrum) {
    spectrum.copy(part(partition, from: 0), bins: lowBins)
    guard highBins > 0 else { return }
    if partition < highCount {
      spectrum.from(lowBins).copy(part(partition, from: lowBins), bins: highBins)
    } else {
      spectrum.from(lowBins).clear(bins: highBins)
    }
  }

  /// Replaces the spectrum of a partition where the partition has bins.
  func replace(_ partition: Int, by spectrum: Spectrum) {
    part(partition, from: 0).copy(spectrum, bins: lowBins)
    guard highBins > 0, partition < highCount else { return }
    part(partition, from: lowBins).copy(spectrum.from(lowBins), bins: highBins)
  }

  /// Scales a bin up to 8 kHz of all partitions.
  func scale(_ bin: Int, by factor: Float) {
    for row in 0..<(2 * count) { low[row * sizes.lowRow + bin] *= factor }
  }

  /// The numbers of bins, without the padding at the end, that both sides of 8 kHz have.
  private var lowBins: Int { min(sizes.bins, sizes.lowRow) }
  private var highBins: Int { sizes.bins - lowBins }
}
