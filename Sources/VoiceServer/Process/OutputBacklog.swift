/// Decides how much of the processed output waits for a slow reader, in real time.
///
/// A reader that stalls has a second of audio kept for it. A reader that reads on, but not fast enough
/// to catch up within a second, goes on with the latest audio: its delay is back to normal then.
struct OutputBacklog {
  /// Frames that are kept for a reader that does not read.
  static let most = 100
  /// How long more may wait: a gap that is filled comes all at once, and the reader has a while for it.
  static let patience = Duration.milliseconds(500)
  /// Frames that a reader may be behind for any time.
  static let settled = 20
  /// How long a reader may be further behind while it reads.
  static let catchUpTime = Duration.seconds(1)
  /// A reader that takes nothing for this long has stalled. Its time to catch up starts when it reads again.
  static let stall = Duration.milliseconds(200)

  private var fullSince: ContinuousClock.Instant?
  private var behindSince: ContinuousClock.Instant?
  private var lastTaken: ContinuousClock.Instant?

  /// Returns how many frames may go on waiting now that `waiting` do, after one more was added. Nil
  /// for all of them. Runs per chunk: no allocation, lock, log or await.
  mutating func limit(afterAdding waiting: Int, now: ContinuousClock.Instant) -> Int? {
    guard waiting > Self.most else {
      fullSince = nil
      return nil
    }
    let since = fullSince ?? now
    fullSince = since
    return now - since > Self.patience ? Self.most : nil
  }

  /// Returns the same after the reader has taken something. Runs per chunk: no allocation, lock, log or
  /// await.
  mutating func limit(afterTaking waiting: Int, now: ContinuousClock.Instant) -> Int? {
    defer { lastTaken = now }
    if let lastTaken, now - lastTaken > Self.stall { behindSince = nil }
    guard waiting > Self.settled else {
      behindSince = nil
      return nil
    }
    let since = behindSince ?? now
    behindSince = since
    guard now - since > Self.catchUpTime else { return nil }
    behindSince = nil
    return Self.settled
  }
}
