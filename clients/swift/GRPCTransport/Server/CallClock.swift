/// The time of a server's calls, for tests that put it forward. The deadlines of the calls, their timers
/// and those of their threads follow this clock. The limits of libgrpc follow the system's time: the
/// deadline that a client sets, the age of a connection, and the grace of a shutdown.
package protocol CallClock: Sendable {
  /// The present time. May be called from any thread. Runs per frame.
  var now: ContinuousClock.Instant { get }
  /// Calls `due` once, from any thread, when the clock has passed the delay.
  func call(after delay: Duration, _ due: @escaping @Sendable () -> Void)
}
