/// The sound from before a new session that its program gives late: rule 3 for audio in
/// docs/reference/clients.md.
///
/// A program that stalls while the session starts gives this sound afterwards, at once. The session reads in
/// real time, so it would stay behind by as much. Indexes and counts are in sample frames.
struct Debt {
  typealias Instant = ContinuousClock.Instant

  /// Sound that is ahead of real time by this much does no harm.
  private static let allowance = Duration.milliseconds(100)
  /// The first sound waits so long for the rest of its burst.
  private static let burst = Duration.milliseconds(50)
  /// Sound that comes later than this after the first belongs to no burst.
  private static let longestBurst = Duration.seconds(1)

  private let rate: Int
  private var began: Instant
  /// The index of the first sample that the session may have.
  private var index: Int64
  private var first: Instant?
  private var owed: Int64

  /// Begins with a session whose first sample has an index. The program gave sound last at `heardAt`.
  init(rate: Int, from index: Int64, now: Instant, heardAt: Instant?) {
    self.rate = rate
    self.index = index
    began = now
    let stalled = heardAt.map { now - $0 } ?? .zero
    owed = stalled > Self.allowance ? Self.samples(stalled, rate) : 0
  }

  /// Records samples that were left out because they waited too long.
  mutating func leftOut(_ count: Int64) {
    index += count
    owed = max(0, owed - count)
  }

  /// Returns the time for which no sound must be sent. `end` is the index after the last sample.
  mutating func pause(until end: Int64, now: Instant) -> Duration {
    guard owed > 0, end > index else { return .zero }
    let first = first ?? now
    self.first = first
    if now - first > Self.longestBurst { owed = 0 }
    return max(.zero, Self.burst - (now - first))
  }

  /// Returns how many of the oldest samples to leave out, in whole frames of 10 ms.
  mutating func excess(until end: Int64, now: Instant) -> Int64 {
    let ahead = end - index - Self.samples(now - began, rate)
    guard owed > 0, ahead > Self.samples(Self.allowance, rate) else { return 0 }
    let frame = Int64(rate / 100)
    let count = (min(ahead, owed) + frame - 1) / frame * frame
    leftOut(count)
    return count
  }

  private static func samples(_ time: Duration, _ rate: Int) -> Int64 {
    Int64(time / .seconds(1) * Double(rate))
  }
}
