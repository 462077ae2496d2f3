/// The rule for how much of the processed output waits for a slow reader, in real time.
///
/// For a reader that stalls, the server keeps a second of audio. A reader that continues to read,
/// but does not catch up within a second, continues with the latest audio, so that its delay is
/// normal again.
struct OutputBacklog {
  /// The number of frames that are kept for a reader that does not read.
  static let most = 100
  /// The time for which more frames may wait. A gap that is filled comes at once, and the reader
  /// gets this time to read it.
  static let patience = Duration.milliseconds(500)
  /// The number of frames by which a reader may always be behind.
  static let settled = 20
  /// The time for which a reader that reads may be further behind.
  static let catchUpTime = Duration.seconds(1)
  /// The time without a read after which a reader has stalled. Its time to catch up starts when it
  /// reads again.
  static let stall = Duration.milliseconds(200)

  private var fullSince: ContinuousClock.Instant?
  private var behindSince: ContinuousClock.Instant?
  private var lastTaken: ContinuousClock.Instant?

  /// Returns the number of frames that may continue to wait, after a chunk was added and `waiting`
  /// frames wait, or nil if all may wait. Runs per chunk: no allocation, lock, log or await.
  mutating func limit(afterAdding waiting: Int, now: ContinuousClock.Instant) -> Int? {
    guard waiting > Self.most else {
      fullSince = nil
      return nil
    }
    let since = fullSince ?? now
    fullSince = since
    return now - since > Self.patience ? Self.most : nil
  }

  /// Returns the number of frames that may continue to wait, after the reader took a chunk and
  /// `waiting` frames wait, or nil if all may wait. Runs per chunk: no allocation, lock, log or
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
