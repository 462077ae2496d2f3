internal import EchoAlignment
#if canImport(Glibc)
  internal import Glibc
#endif

/// Measured responses with their onsets moved to the same sample, so that neighbours can be
/// interpolated without a comb filter (V. Larcher and J.-M. Jot, 1997).
struct AlignedResponses {
  /// The number of samples before the onset.
  static let lead = 6
  /// The onset is where a response first reaches this part of its peak.
  private static let threshold: Float = 0.15

  let directions: [SIMD3<Float>]
  /// The height of the lowest direction, -1 straight below.
  private let lowest: Float
  let taps: Int
  /// For each direction, the filter of the left ear and of the right ear.
  let filters: [Float]
  /// For each direction, the onsets of both ears in samples, the earliest of all at 0.
  let onsets: [Float]

  /// Aligns responses and keeps `taps` samples of each, of which the last eighth fades out.
  init(_ measured: MeasuredResponses, taps: Int) throws(SOFAError) {
    let length = measured.length
    let margin = SincInterpolator.taps + Self.lead
    var padded = [Float](repeating: 0, count: length + taps + 2 * margin + 2)
    var filters = [Float](repeating: 0, count: measured.directions.count * 2 * taps)
    var onsets = [Float](repeating: 0, count: measured.directions.count * 2)
    for index in onsets.indices {
      let response = measured.samples[index * length..<(index + 1) * length]
      guard let onset = Self.onset(response), measured.delays[index].isFinite else {
        throw SOFAError("has a response without sound")
      }
      onsets[index] = onset + measured.delays[index]
      padded.replaceSubrange(margin..<margin + length, with: response)
      filters.withUnsafeMutableBufferPointer { filters in
        padded.withUnsafeBufferPointer { padded in
          guard let filters = filters.baseAddress, let padded = padded.baseAddress else { return }
          SincInterpolator.shared.read(
            padded, from: Double(margin - Self.lead) + Double(onset), count: taps,
            into: filters + index * taps)
        }
      }
      Self.fadeOut(&filters, index * taps..<(index + 1) * taps)
    }
    let earliest = onsets.min() ?? 0
    directions = measured.directions.map { $0 / max(1e-6, ($0 * $0).sum().squareRoot()) }
    lowest = directions.map(\.z).min() ?? -1
    self.taps = taps
    self.filters = filters
    self.onsets = onsets.map { $0 - earliest }
  }

  private static func onset(_ response: ArraySlice<Float>) -> Float? {
    let peak = response.reduce(0) { max($0, abs($1)) }
    guard peak.isFinite, peak > 0,
      let first = response.firstIndex(where: { abs($0) >= threshold * peak })
    else { return nil }
    guard first > response.startIndex else { return 0 }
    let (before, after) = (abs(response[first - 1]), abs(response[first]))
    let part = (threshold * peak - before) / (after - before)
    return Float(first - 1 - response.startIndex) + part
  }

  private static func fadeOut(_ filters: inout [Float], _ range: Range<Int>) {
    let count = range.count / 8
    for index in 0..<count {
      let angle = Float.pi * (Float(index) + 0.5) / Float(count)
      filters[range.upperBound - count + index] *= (1 + cosf(angle)) / 2
    }
  }

  /// Returns, for a direction below all measured ones, the direction at the lowest height that is
  /// as far to the side. The delay between the ears depends on the side.
  private func raised(_ direction: SIMD3<Float>) -> SIMD3<Float> {
    guard direction.z < lowest else { return direction }
    let ahead = max(0, 1 - lowest * lowest - direction.y * direction.y).squareRoot()
    return [direction.x < 0 ? -ahead : ahead, direction.y, lowest]
  }

  /// Returns the measured directions next to another one, with weights that sum to 1.
  func neighbours(of direction: SIMD3<Float>) -> [(index: Int, weight: Float)] {
    let direction = raised(direction)
    var nearest: [(index: Int, distance: Float)] = []
    for (index, other) in directions.enumerated() {
      let difference = other - direction
      let distance = (difference * difference).sum()
      guard nearest.count < 3 || distance < nearest[2].distance else { continue }
      let place = nearest.firstIndex { distance < $0.distance } ?? nearest.count
      nearest.insert((index, distance), at: place)
      if nearest.count > 3 { nearest.removeLast() }
    }
    // The weights are the inverse squares of distances. 1e-6 is a twentieth of a degree, squared.
    let weights = nearest.map { 1 / max($0.distance, 1e-6) }
    let sum = weights.reduce(0, +)
    if nearest[0].distance <= 1e-6 { return [(nearest[0].index, 1)] }
    return zip(nearest, weights).map { ($0.index, $1 / sum) }
  }
}
