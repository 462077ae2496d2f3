internal import CGRPC
internal import Synchronization

/// The way onto a call's thread for everyone else.
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

  /// Whether the call has not ended; certain on the call's thread only.
  var isOpen: Bool { queue.withLock { $0 != nil } }

  /// From here on nothing runs: the queue may be gone.
  func close() {
    queue.withLock { $0 = nil }
  }
}

/// libgrpc's queues may be used from any thread.
private struct QueuePointer: @unchecked Sendable {
  let queue: OpaquePointer
}
