internal import GRPCTransport
internal import Synchronization

/// Wakes the handler of a call from any thread. At most one wake-up is pending, however often
/// `wake` is called.
final class CallWaker<Handler: AnyObject>: Sendable {
  private let handler: ThreadBound<Handler>
  private let executor: CallExecutor
  private let body: @Sendable (Handler) -> Void
  private let isOnItsWay = Atomic(false)

  /// Creates a waker. `body` runs on the call's thread for each wake-up, unless the handler no
  /// longer exists.
  init(_ handler: Handler, of call: ServerCall, _ body: @escaping @Sendable (Handler) -> Void) {
    self.handler = ThreadBound(handler)
    executor = call.executor
    self.body = body
  }

  func wake() {
    guard !isOnItsWay.exchange(true, ordering: .acquiringAndReleasing) else { return }
    executor.perform { [self] in
      isOnItsWay.store(false, ordering: .releasing)
      if let handler = handler.value { body(handler) }
    }
  }
}

/// A weak reference that may be passed between threads, to an object that belongs to one thread.
/// Read `value` on that thread only.
struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object?) { self.value = value }
}
