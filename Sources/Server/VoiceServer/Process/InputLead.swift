internal import GRPCTransport

/// Whether a client is ahead of real time all the time, so that its audio waits in the connection. Its output is
/// then late by as much, for as long as the session lasts.
struct InputLead {
  /// The time for which the allowance of the pacer must be used up, and for which it must be left afterwards.
  static let onset = Duration.seconds(2)
  /// The allowance in nanoseconds that a client leaves who is not held back.
  private static let rest = Duration.milliseconds(50).nanoseconds

  private(set) var isEarly = false
  /// The time since which the allowance contradicts `isEarly`.
  private var since: ContinuousClock.Instant?

  /// Forgets the last allowances, because the media continues on another connection.
  mutating func restart() { since = nil }

  /// Records the allowance that the pacer has after audio was read. Returns the new state if it has
  /// changed. Runs per frame: no allocation, lock, log or await.
  mutating func record(allowance: Int64, now: ContinuousClock.Instant) -> Bool? {
    guard (allowance < Self.rest) != isEarly else {
      since = nil
      return nil
    }
    guard let since else {
      self.since = now
      return nil
    }
    guard since.duration(to: now) >= Self.onset else { return nil }
    self.since = nil
    isEarly.toggle()
    return isEarly
  }
}
