internal import CGRPC
internal import Synchronization

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
