import Dispatch
import GRPCTransport
import Synchronization
import Testing
import TestTime

extension Journal {
  /// Returns the number of times that `event` came before it did not come for a while.
  func standstill(of event: Event, for pause: Duration = .milliseconds(300)) async throws -> Int {
    try await wait(for: event)
    return try await settled("\(event)", for: pause) { count(of: event) }
  }

  /// Blocks this thread until the test calls `release()`, which a handler must not do.
  func blockUntilReleased() throws {
    guard released.wait(timeout: .now() + .seconds(20)) == .success else {
      throw TimeoutError("a release")
    }
    released.signal()
  }

  /// Runs `action` when the test calls `release()`.
  func onRelease(_ action: @escaping @Sendable () -> Void) {
    Task {
      try await wait(for: .note("release"))
      action()
    }
  }

  func release() {
    record(.note("release"))
    released.signal()
  }
}

/// A value that belongs to a call's thread. The value crosses other threads on its way back to this
/// thread, which the compiler does not allow without this type.
struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
