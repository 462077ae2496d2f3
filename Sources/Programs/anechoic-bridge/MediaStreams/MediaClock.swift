/// The time of media that a provider states, which tells how much sound was lost on its way to the provider.
struct MediaClock {
  /// The times that have to follow one another before a gap between two of them counts. Times that a
  /// provider takes from a clock, and not from samples, never do.
  private static let mostRegular = 5
  /// The rounding error of a time in ms, and the shortest gap.
  private static let tolerance = 1
  private static let shortestGap = 10

  /// The rate in Hz.
  let rate: Int
  /// The end of the last media in ms.
  private var end: Int?
  private var regular = 0

  init(rate: Int) { self.rate = rate }

  /// Returns the number of samples that were lost before media, or nil if the times do not tell it.
  /// `timestamp` is in ms.
  mutating func lost(before timestamp: Int?, _ count: Int) -> Int? {
    guard let timestamp else { return nil }
    defer { end = timestamp &+ count * 1000 / rate }
    guard let end else { return nil }
    let (gap, overflow) = timestamp.subtractingReportingOverflow(end)
    let isGap = !overflow && (Self.shortestGap...Int(Int32.max)).contains(gap)
    if abs(max(-2, min(2, gap))) <= Self.tolerance {
      regular = min(regular + 1, Self.mostRegular)
    } else if !isGap {
      regular = 0
    }
    guard regular == Self.mostRegular else { return nil }
    return isGap ? gap * rate / 1000 : 0
  }
}
