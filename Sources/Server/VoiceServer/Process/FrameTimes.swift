/// A histogram of the times to process a frame. A class is a quarter of an octave wide, so that
/// percentiles are exact to 19 %.
struct FrameTimes {
  private static let classes = 4 * 40

  private var counts = [UInt64](repeating: 0, count: Self.classes)
  private var total: UInt64 = 0

  /// Records `frames` frames that took `nanoseconds` together. Runs per frame: no allocation, lock,
  /// log or await.
  mutating func record(nanoseconds: UInt64, frames: UInt32) {
    guard frames > 0 else { return }
    let each = max(1, nanoseconds / UInt64(frames))
    let octave = 63 - each.leadingZeroBitCount
    let quarter = octave < 2 ? 0 : Int((each >> (octave - 2)) & 3)
    counts[min(octave * 4 + quarter, Self.classes - 1)] += UInt64(frames)
    total += UInt64(frames)
  }

  /// Returns the time within which a share of the frames was processed, or 0 before the first
  /// frame.
  func percentile(_ share: Double) -> Duration {
    let wanted = UInt64((Double(total) * share).rounded(.up))
    var seen: UInt64 = 0
    for (index, count) in counts.enumerated() where count > 0 {
      seen += count
      guard seen >= wanted else { continue }
      let (octave, quarter) = (index / 4, index % 4)
      return .nanoseconds(Int64((Double(quarter) + 5) / 4 * Double(UInt64(1) << octave)))
    }
    return .zero
  }
}
