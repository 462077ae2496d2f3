internal import Dispatch
internal import Foundation
internal import Synchronization

/// A thread that runs until it is stopped. Its body checks `isStopped` between its waits.
final class LoopThread: Sendable {
  private let stopping = Atomic<Bool>(false)
  private let wakeUp = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  /// Starts the thread. Tools such as `top -H` show the first 15 bytes of `name`.
  func start(_ name: String, _ body: @escaping @Sendable (LoopThread) -> Void) {
    let thread = Thread {
      // Foundation sets the name of a thread only for itself.
      try? name.prefix(15).write(
        toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
      body(self)
      self.done.signal()
    }
    thread.start()
  }

  var isStopped: Bool { stopping.load(ordering: .relaxed) }

  func stop() {
    stopping.store(true, ordering: .relaxed)
    wake()
  }

  /// Ends a sleep whose condition is not true any more. Returns at once.
  func wake() { wakeUp.signal() }

  /// Waits for the end of the body, but at most 2 s, in case the body is blocked in its device.
  func join() { _ = done.wait(timeout: .now() + .seconds(2)) }

  /// Sleeps while `isWanted` is true and the thread is not stopped. Whoever changes the condition calls
  /// `wake`.
  func sleep(_ time: Duration, while isWanted: () -> Bool = { true }) {
    let end = MonotonicClock.now + time
    while !isStopped, isWanted() {
      let left = end - MonotonicClock.now
      guard left > .zero else { return }
      _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(left / .nanoseconds(1))))
    }
  }
}

/// An object that works on a thread of its own until it is stopped.
protocol ThreadOwner: AnyObject, Sendable {
  var thread: LoopThread { get }
}

extension ThreadOwner {
  func stop() { thread.stop() }

  func join() { thread.join() }
}
