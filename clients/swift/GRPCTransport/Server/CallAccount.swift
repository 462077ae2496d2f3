/// The records about a call: its count, its trace and its end.
struct CallAccount {
  let observer: (any CallObserver)?
  /// The trace of the call, until its end. Nil unless the method has a tracer that records this call.
  var trace: (any CallTrace)?
  /// The code of the status that the call ends with, once it is known.
  var outcome: StatusCode?
  private let startedAt: ContinuousClock.Instant

  init(_ observer: (any CallObserver)?, now: ContinuousClock.Instant) {
    self.observer = observer
    startedAt = now
  }

  /// Records the end of the call.
  mutating func close(now: ContinuousClock.Instant) {
    observer?.handled(outcome ?? .cancelled, after: now - startedAt)
    trace?.ended(outcome ?? .cancelled)
    trace = nil
  }
}
