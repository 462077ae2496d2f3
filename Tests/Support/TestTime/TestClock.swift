internal import Dispatch
public import GRPCTransport
internal import Synchronization
internal import Testing

/// A clock of a server's calls that runs with the time, and that a test puts forward. The time limits
/// that have passed then end at once what they limit.
public final class TestClock: CallClock {
  private struct State: @unchecked Sendable {
    /// The time by which the clock is fast.
    var lead = Duration.zero
    var waiting: [(due: ContinuousClock.Instant, work: @Sendable () -> Void)] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var now: ContinuousClock.Instant {
    ContinuousClock.now + state.withLock { $0.lead }
  }

  public func call(after delay: Duration, _ due: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting.append((ContinuousClock.now + $0.lead + delay, due)) }
    look(after: delay)
  }

  /// Puts the clock forward.
  public func advance(by time: Duration) {
    state.withLock { $0.lead += time }
    callDue()
    let now = now
    for wait in state.withLock({ $0.waiting.map(\.due) }) { look(after: wait - now) }
  }

  /// Runs `body`, and puts the clock forward again and again meanwhile. For a limit whose beginning a
  /// test does not see.
  public func advancing<Result>(
    by time: Duration, _ body: () async throws -> Result
  ) async throws -> Result {
    let advances = Task {
      try await eventually("the end of what the clock limits") {
        advance(by: time)
        return false
      }
    }
    defer { advances.cancel() }
    return try await body()
  }

  private func look(after time: Duration) {
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, time / .seconds(1)) + 0.001) {
      [weak self] in self?.callDue()
    }
  }

  /// Calls what is due, in the order of the times.
  private func callDue() {
    let due = state.withLock { state in
      let now = ContinuousClock.now + state.lead
      defer { state.waiting.removeAll { $0.due <= now } }
      return state.waiting.filter { $0.due <= now }.sorted { $0.due < $1.due }
    }
    for work in due { work.work() }
  }
}
