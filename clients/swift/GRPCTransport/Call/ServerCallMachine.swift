/// The state of one call on a server. A pure state machine: it does no I/O and reads no clock.
///
/// `ServerCall` passes the requests of its handler and the reports of the transport to the machine,
/// and carries out the returned actions. The machine guarantees:
///
/// - At most one read and one write are in flight. A second read is ignored, a second write
///   refused.
/// - A call ends once: by `finish`, `abort`, a deadline or its client. Everything after that is
///   ignored, except for `cancelled` after an abort, and for `ended`.
/// - A status waits until the write in flight has completed.
/// - The write deadline runs while a write or the status is in flight.
/// - The start deadline runs until the client's first message or half-close.
///
/// Runs per frame: no allocation, lock, log or await.
struct ServerCallMachine: ~Copyable {
  typealias Instant = ContinuousClock.Instant

  /// The next step of the owner of a machine.
  enum Action: Equatable {
    /// Do nothing.
    case ignore
    /// Throw the error to the caller.
    case refuse(CallMisuseError)
    /// Start a read.
    case read
    /// Start a write.
    case write
    /// Send the status and the trailers.
    case finish(Status, Metadata)
    /// Cancel the call with the status.
    case abort(Status)
    /// Tell the handler that its client does not read, and cancel the call with the status.
    case abortStalled(Status)
    /// Deliver the event to the handler.
    case deliver
  }

  private enum Phase {
    case open
    /// The status waits for the write in flight.
    case closing(Status, Metadata)
    /// The status has been passed to the transport.
    case finishing(since: Instant)
    case aborted
    /// The handler has been told that the client is gone, or has finished the call itself.
    /// Only `ended` is still delivered.
    case over
    case ended
  }

  /// The time limits. They may change while the call runs.
  var deadlines: CallDeadlines

  /// Whether a write is in flight.
  var isWriting: Bool { writingSince != nil }

  /// Whether nothing has ended the call yet.
  var isOpen: Bool { if case .open = phase { true } else { false } }

  /// Whether the transport has reported the end of the call.
  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  private var phase = Phase.open
  private let startedAt: Instant
  private var hasStarted = false
  private var isReading = false
  private var isHalfClosed = false
  private var writingSince: Instant?
  /// The time at which the owner's timer fires. Nil while no timer runs.
  private var timerDue: Instant?

  init(deadlines: CallDeadlines, now: Instant) {
    self.deadlines = deadlines
    startedAt = now
  }

  // MARK: Requests of the handler

  /// Returns `.read`, or `.ignore` if a read would bring nothing new.
  mutating func read() -> Action {
    guard case .open = phase, !isHalfClosed, !isReading else { return .ignore }
    isReading = true
    return .read
  }

  /// Returns `.write`, `.refuse` or `.ignore`.
  mutating func write(now: Instant) -> Action {
    guard case .open = phase else { return .ignore }
    guard writingSince == nil else { return .refuse(.secondWriter) }
    writingSince = now
    return .write
  }

  /// Returns `.finish`, or `.ignore` while a write is in flight: `writeCompleted` then returns
  /// `.finish`.
  mutating func finish(_ status: Status, _ trailers: Metadata, now: Instant) -> Action {
    guard case .open = phase else { return .ignore }
    guard writingSince == nil else {
      phase = .closing(status, trailers)
      return .ignore
    }
    phase = .finishing(since: now)
    return .finish(status, trailers)
  }

  /// Returns `.abort`, or `.ignore` if the transport already has a status.
  mutating func abort(_ status: Status) -> Action {
    switch phase {
    case .open, .closing:
      phase = .aborted
      return .abort(status)
    case .finishing, .aborted, .over, .ended: return .ignore
    }
  }

  // MARK: Reports of the transport

  /// Records that the read has brought a message. Returns `.deliver` or `.ignore`.
  mutating func received() -> Action {
    guard isReading else { return .ignore }
    isReading = false
    hasStarted = true
    guard case .open = phase else { return .ignore }
    return .deliver
  }

  /// Records that the read has found the end of the client's messages. Returns `.deliver` or
  /// `.ignore`.
  mutating func halfClosed() -> Action {
    let action = received()
    if case .deliver = action { isHalfClosed = true }
    return action
  }

  /// Records that the write has left. Returns `.deliver`, `.finish` or `.ignore`.
  mutating func writeCompleted(now: Instant) -> Action {
    guard writingSince != nil else { return .ignore }
    writingSince = nil
    switch phase {
    case .open: return .deliver
    case .closing(let status, let trailers):
      phase = .finishing(since: now)
      return .finish(status, trailers)
    case .finishing, .aborted, .over, .ended: return .ignore
    }
  }

  /// Records that nothing more can be sent. Returns `.deliver` or `.ignore`.
  mutating func cancelled() -> Action {
    switch phase {
    case .open, .closing, .aborted:
      phase = .over
      return .deliver
    case .finishing:
      phase = .over
      return .ignore
    case .over, .ended: return .ignore
    }
  }

  /// Records the last report. Returns `.deliver` once.
  mutating func ended() -> Action {
    guard !hasEnded else { return .ignore }
    phase = .ended
    return .deliver
  }

  // MARK: Deadlines

  /// Returns the duration of a timer that the owner has to start instead of the running one, and
  /// that then calls `timerFired`. Returns nil if the running timer is enough or no deadline is
  /// pending.
  ///
  /// A timer continues after its deadline has been met, so that a stream of messages costs one
  /// timer for each limit, and not one for each message.
  mutating func timerToStart(now: Instant) -> Duration? {
    guard let due = nextDue?.time else { return nil }
    if let timerDue, timerDue <= due { return nil }
    timerDue = due
    return max(due - now, .zero)
  }

  /// Returns the action for the deadline that has passed: `.finish`, `.abortStalled` or `.abort`,
  /// or `.ignore` if none has passed. The owner then calls `timerToStart` again.
  mutating func timerFired(now: Instant) -> Action {
    timerDue = nil
    guard let due = nextDue, due.time <= now else { return .ignore }
    guard let limit = due.isStart ? deadlines.start : deadlines.write else { return .ignore }
    if due.isStart { return finish(limit.status, Metadata(), now: now) }
    if case .finishing = phase {
      // The handler has finished the call, so only `ended` is delivered to it.
      phase = .over
      return .abort(limit.status)
    }
    phase = .aborted
    return .abortStalled(limit.status)
  }

  private struct Due {
    let time: Instant
    let isStart: Bool
  }

  /// The deadline that passes next. Asked for each message, and therefore without its status.
  private var nextDue: Due? {
    switch phase {
    case .open:
      let write = writingSince.flatMap { writeDue(since: $0) }
      guard !hasStarted, let limit = deadlines.start?.limit else { return write }
      let time = startedAt + limit
      if let write, write.time <= time { return write }
      return Due(time: time, isStart: true)
    case .closing: return writingSince.flatMap { writeDue(since: $0) }
    case .finishing(let since): return writeDue(since: since)
    case .aborted, .over, .ended: return nil
    }
  }

  private func writeDue(since: Instant) -> Due? {
    (deadlines.write?.limit).map { Due(time: since + $0, isStart: false) }
  }
}

/// A time limit for a client, and the status that ends the call of a client that exceeds it.
public struct CallDeadline: Sendable, Equatable {
  public var limit: Duration
  public var status: Status

  public init(_ limit: Duration, _ status: Status) {
    self.limit = limit
    self.status = status
  }
}

/// The time limits for the client of a call. A limit that is nil does not exist.
public struct CallDeadlines: Sendable, Equatable {
  /// The time from the start of the call until the client's first message or half-close. A call
  /// that is late ends with the status and its details.
  public var start: CallDeadline?
  /// The time for each message, and for the status at the end, to leave. HTTP/2's flow control
  /// holds a message back if the client does not read. The call is then aborted, and the client
  /// gets the status without its details.
  public var write: CallDeadline?

  public init(start: CallDeadline? = nil, write: CallDeadline? = nil) {
    self.start = start
    self.write = write
  }
}
