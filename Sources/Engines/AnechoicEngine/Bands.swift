/// The bands of the network: each bin below 3 kHz, then 20 bands that widen up to 8 kHz. A bin
/// belongs to its two nearest bands, as linear interpolation wants it.
final class Bands: Sendable {
  static let singleBins = 60
  static let wideBands = 20
  static let count = singleBins + wideBands
  /// The number of bins up to 8 kHz.
  static let mostBins = EchoFilter.mostLowBins

  /// The number of bins that the bands cover.
  let bins: Int
  /// For each bin its lower band, and the share of the upper one.
  private let lower: [Int]
  private let upperShare: [Float]
  /// For each band the reciprocal of the sum of its bins' shares.
  private let scales: [Float]
  /// For each band from the last of a single bin on, the end of the bins between it and the next.
  private let ends: [Int]

  /// Creates the bands of a spectrum with this many bins, of which only those up to 8 kHz count.
  init(bins: Int) {
    self.bins = min(bins, Self.mostBins)
    let centers = Self.centers
    var (lower, upperShare): ([Int], [Float]) = ([], [])
    var sums = [Float](repeating: 0, count: Self.count)
    for bin in 0..<Self.mostBins {
      let right = min(centers.firstIndex { $0 >= Double(bin) } ?? Self.count - 1, Self.count - 1)
      let left = max(right - 1, 0)
      let span = centers[right] - centers[left]
      let share = Float(span > 0 ? min(1, (Double(bin) - centers[left]) / span) : 0)
      lower.append(left)
      upperShare.append(share)
      sums[left] += 1 - share
      sums[min(left + 1, Self.count - 1)] += share
    }
    (self.lower, self.upperShare) = (lower, upperShare)
    ends = ((Self.singleBins - 1)..<Self.count).map { [bins = self.bins] band in
      min(lower.firstIndex { $0 > band } ?? bins, bins)
    }
    scales = sums.map { 1 / $0 }
  }

  private static let whole = Bands(bins: mostBins)

  /// Returns the bands of a spectrum with this many bins, with tables that all engines share unless
  /// the spectrum ends below 8 kHz.
  static func shared(bins: Int) -> Bands { bins < mostBins ? Bands(bins: bins) : whole }

  private static var centers: [Double] {
    let widths = (0..<wideBands).map { 2.6 + 4.8 * Double($0) / Double(wideBands - 1) }
    let total = widths.reduce(0, +)
    var centers = (0..<singleBins).map(Double.init)
    var sum = 0.0
    for width in widths {
      sum += width
      centers.append(Double(singleBins - 1) + sum / total * Double(mostBins - singleBins))
    }
    return centers
  }

  /// Computes the mean power of each band. Runs per frame: no allocation, lock, log or await.
  func average(_ powers: UnsafePointer<Float>, into result: UnsafeMutablePointer<Float>) {
    let single = Self.singleBins - 1
    result.update(from: powers, count: single)
    // The sums of the bins between two bands, for the lower one and for the upper one.
    var (bin, carried) = (single + 1, powers[single])
    upperShare.withUnsafeBufferPointer { upperShare in
      for band in single..<Self.count {
        var (below, above): (Float, Float) = (0, 0)
        let end = ends[band - single]
        while bin < end {
          let upper = upperShare[bin] * powers[bin]
          (below, above) = (below + powers[bin] - upper, above + upper)
          bin += 1
        }
        result[band] = (carried + below) * scales[band]
        carried = above
      }
    }
  }

  /// Computes the gain of each bin from those of the bands. Runs per frame: no allocation, lock,
  /// log or await.
  func interpolate(_ gains: UnsafePointer<Float>, into result: UnsafeMutablePointer<Float>) {
    let single = Self.singleBins - 1
    result.update(from: gains, count: single)
    for bin in single..<bins {
      let band = lower[bin]
      let next = min(band + 1, Self.count - 1)
      result[bin] = gains[band] + upperShare[bin] * (gains[next] - gains[band])
    }
  }
}
