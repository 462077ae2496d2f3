internal import CGRPC

/// Work that runs on a call's queue after a delay.
///
/// The work runs once, on the thread of the queue. It does not run if the timer is cancelled or the
/// server stops before.
public final class Timer {
  private let timer: OpaquePointer

  /// Runs `work` after a delay. Returns nil if the queue has been shut down.
  convenience init?(on queue: OpaquePointer, after delay: Duration, _ work: @escaping () -> Void) {
    self.init(work) { cgrpc_timer_start(queue, delay.nanoseconds, $0, $1) }
  }

  /// Runs `work` when the queue has no events. Call this on the queue's thread only.
  convenience init?(whenIdle queue: OpaquePointer, _ work: @escaping () -> Void) {
    self.init(work) { cgrpc_queue_when_idle(queue, $0, $1) }
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
    self.timer = timer
  }

  deinit { cgrpc_timer_release(timer) }

  public func cancel() { cgrpc_timer_cancel(timer) }
}

/// A closure in a class, so that C can keep a reference to it.
private final class Work {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}
