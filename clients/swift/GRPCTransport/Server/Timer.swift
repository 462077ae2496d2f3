internal import CGRPC

/// Work that runs on a call's queue after a delay.
///
/// The work runs once, on the thread of the queue. It does not run if the timer is cancelled or the
/// server stops before.
public final class Timer {
  private enum Source {
    case library(OpaquePointer)
    case clock(Weak)
  }

  /// A reference that does not keep the work. The clock does, until the work is due.
  private struct Weak {
    weak var work: Work?
  }

  private let source: Source

  /// Runs `work` after a delay. Returns nil if the queue has been shut down.
  convenience init?(on queue: OpaquePointer, after delay: Duration, _ work: @escaping () -> Void) {
    self.init(work) { cgrpc_timer_start(queue, delay.nanoseconds, $0, $1) }
  }

  /// Runs `work` when the queue has no events. Call this on the queue's thread only.
  convenience init?(whenIdle queue: OpaquePointer, _ work: @escaping () -> Void) {
    self.init(work) { cgrpc_queue_when_idle(queue, $0, $1) }
  }

  /// Runs `work` when `clock` has passed a delay. `perform` runs its argument on the thread of the
  /// queue, unless the queue has been shut down. Call this and `cancel` on that thread.
  init(
    by clock: any CallClock, after delay: Duration, _ work: @escaping () -> Void,
    perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    let work = Work(work)
    source = .clock(Weak(work: work))
    clock.call(after: delay) { perform { work.run() } }
  }

  private init?(
    _ work: @escaping () -> Void,
    start: (cgrpc_timer_callback, UnsafeMutableRawPointer) -> OpaquePointer?
  ) {
    let context = Unmanaged.passRetained(Work(work))
    let callback: cgrpc_timer_callback = { context, fired in
      guard let context else { return }
      let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
      if fired { work.run() }
    }
    guard let timer = start(callback, context.toOpaque()) else {
      context.release()
      return nil
    }
    source = .library(timer)
  }

  deinit { if case .library(let timer) = source { cgrpc_timer_release(timer) } }

  public func cancel() {
    switch source {
    case .library(let timer): cgrpc_timer_cancel(timer)
    case .clock(let work): work.work?.cancel()
    }
  }
}

/// A closure in a class, so that C or a clock can keep a reference to it. The closure belongs to the
/// thread of the queue.
private final class Work: @unchecked Sendable {
  private var work: (() -> Void)?

  init(_ work: @escaping () -> Void) { self.work = work }

  func run() { work.take()?() }

  func cancel() { work = nil }
}
