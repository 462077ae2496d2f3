/// The time of media that a provider states, which tells how much sound was lost on its way to the provider.
struct MediaClock {
  /// The times that have to follow one another before a gap between two of them counts. Times that a
  /// provider takes from a clock, and not from samples, seldom do.
  private static let mostRegular = 5
  /// The rounding error of a time in ms, and the shortest gap.
  private static let tolerance = 1
  private static let shortestGap = 10

  /// The regular times after which a gap is no mistake: what was counted as lost does not come any more.
  private static let mostSettled = 50
  /// The longest time by which media can be late, in ms.
  private static let latest = 1000

  /// The rate in Hz.
  let rate: Int
  /// The end of the last media in ms.
  private var end: Int?
  private var regular = 0
  /// The time of the gaps that were counted as lost and may still come, in ms, and the regular times since.
  private var counted = 0
  private var settled = 0

  init(rate: Int) { self.rate = rate }

  /// Returns the number of samples that were lost before media, or nil if the times do not tell it. The
  /// number is negative if media come that were counted as lost. `timestamp` is in ms.
  mutating func lost(before timestamp: Int?, _ count: Int) -> Int? {
    guard let timestamp else { return nil }
    let next = timestamp &+ count * 1000 / rate
    guard let end else {
      end = next
      return nil
    }
    let (gap, overflow) = timestamp.subtractingReportingOverflow(end)
    if counted > 0, !overflow, (-Self.latest...(-Self.shortestGap)).contains(gap) {
      let back = min(counted, -gap)
      counted -= back
      self.end = max(end, next)
      return -(back * rate / 1000)
    }
    self.end = next
    let isGap = !overflow && (Self.shortestGap...Int(Int32.max)).contains(gap)
    if abs(max(-2, min(2, gap))) <= Self.tolerance {
      regular = min(regular + 1, Self.mostRegular)
      settled += 1
      if settled >= Self.mostSettled { counted = 0 }
    } else if !isGap {
      (regular, counted) = (0, 0)
    }
    guard regular == Self.mostRegular else { return nil }
    guard isGap else { return 0 }
    counted = min(counted + gap, Self.latest)
    settled = 0
    return gap * rate / 1000
  }
}
