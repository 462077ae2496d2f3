internal import CGRPC

/// A piece of work that waits on a call's queue for its time.
///
/// The work runs once, on the thread of the queue, or never, when the timer was cancelled or the
/// server stopped first.
public final class Timer {
  private let timer: OpaquePointer

  /// Nil when the queue has been shut down.
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
