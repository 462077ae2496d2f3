internal import CGRPC
internal import Synchronization

/// A thread that serves calls. It outlives the calls, for work that belongs to no call.
///
/// Two references to the same thread are the same object.
public final class CallThread: Sendable {
  private let queue: Mutex<QueuePointer?>
  /// The clock of the server, or nil for that of the system.
  let clock: (any CallClock)?

  init(queue: OpaquePointer, clock: (any CallClock)?) {
    self.queue = Mutex(QueuePointer(queue: queue))
    self.clock = clock
  }

  /// The present time, by the clock that the timers of the thread follow. May be called from any
  /// thread. Runs per frame.
  public var now: ContinuousClock.Instant { clock?.now ?? .now }

  /// Runs `work` on the thread soon, in the order of the calls of `perform`. May be called from any
  /// thread. Drops `work` if the server stops first.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    queue.withLock { pointer in
      guard let pointer else { return }
      _ = Timer(on: pointer.queue, after: .zero, work)
    }
  }

  /// Runs `work` on the thread after a delay. Call this on the thread. Returns nil, and never runs
  /// `work`, if the server has stopped.
  public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> Timer? {
    // The queue exists as long as its thread, which runs this.
    guard let queue = queue.withLock({ $0 })?.queue else { return nil }
    guard let clock, delay > .zero else { return Timer(on: queue, after: delay, work) }
    return Timer(by: clock, after: delay, work) { [weak self] in self?.perform($0) }
  }

  /// Runs `work` on the thread when no call of the thread has an event. Call this on the thread.
  /// See `ServerCall.whenIdle`. Returns nil, and never runs `work`, if the server has stopped.
  public func whenIdle(_ work: @escaping () -> Void) -> Timer? {
    queue.withLock { $0 }.flatMap { Timer(whenIdle: $0.queue, work) }
  }

  /// Makes the thread refuse work. Its queue may cease to exist afterwards.
  fileprivate func close() { queue.withLock { $0 = nil } }
}

/// The threads of a server, by their queues.
final class CallThreads: Sendable {
  private struct State: @unchecked Sendable {
    var threads: [OpaquePointer: CallThread] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())
  private let clock: (any CallClock)?

  init(clock: (any CallClock)?) { self.clock = clock }

  func thread(of queue: OpaquePointer) -> CallThread {
    state.withLock { state in
      if let thread = state.threads[queue] { return thread }
      let thread = CallThread(queue: queue, clock: clock)
      if state.isClosed { thread.close() } else { state.threads[queue] = thread }
      return thread
    }
  }

  /// The threads that have served a call.
  var all: [CallThread] { state.withLock { Array($0.threads.values) } }

  /// Makes all threads refuse work, because the server stops.
  func close() {
    state.withLock { state in
      state.isClosed = true
      for thread in state.threads.values { thread.close() }
      state.threads = [:]
    }
  }
}

/// A pointer to a queue of libgrpc, which may be used from any thread.
struct QueuePointer: @unchecked Sendable {
  let queue: OpaquePointer
}

/// An executor that runs work of other threads on a call's thread.
public final class CallExecutor: Sendable {
  private let queue: Mutex<QueuePointer?>

  init(queue: OpaquePointer) {
    self.queue = Mutex(QueuePointer(queue: queue))
  }

  /// Runs `work` on the call's thread soon. Does nothing once the call has ended.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    queue.withLock { pointer in
      guard let pointer else { return }
      _ = Timer(on: pointer.queue, after: .zero) { if self.isOpen { work() } }
    }
  }

  /// Whether the call has not ended. The value is reliable only on the call's thread.
  var isOpen: Bool { queue.withLock { $0 != nil } }

  /// Drops all work that has not run yet. The queue may cease to exist afterwards.
  func close() {
    queue.withLock { $0 = nil }
  }
}
