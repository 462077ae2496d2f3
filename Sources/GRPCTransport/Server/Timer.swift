internal import CGRPC

/// Work that a call's queue does after a delay.
///
/// The work runs once, on the thread of the queue. It does not run when the timer is cancelled or the
/// server stops first.
public final class Timer {
  private let timer: OpaquePointer

  /// Starts a timer. Returns nil when the queue has been shut down.
  init?(on queue: OpaquePointer, after delay: Duration, _ work: @escaping () -> Void) {
    let context = Unmanaged.passRetained(Work(work))
    let callback: cgrpc_timer_callback = { context, fired in
      guard let context else { return }
      let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
      if fired { work.run() }
    }
    guard
      let timer = cgrpc_timer_start(queue, delay.nanoseconds, callback, context.toOpaque())
    else {
      context.release()
      return nil
    }
    self.timer = timer
  }

  deinit { cgrpc_timer_release(timer) }

  public func cancel() { cgrpc_timer_cancel(timer) }
}

/// A closure that C can carry.
private final class Work {
  let run: () -> Void

  init(_ run: @escaping () -> Void) { self.run = run }
}
