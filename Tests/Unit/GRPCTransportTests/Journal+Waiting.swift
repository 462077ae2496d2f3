import GRPCTransport
import Synchronization

extension Journal {
  /// Returns the number of times that `event` came before it did not come for a while. This is the
  /// only wait here without an event to wait for.
  func standstill(of event: Event, for pause: Duration = .milliseconds(300)) async throws -> Int {
    try await wait(for: event)
    return try await within {
      var seen = 0
      while true {
        let count = self.count(of: event)
        if count == seen { return count }
        seen = count
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Runs `action` when the test calls `release()`.
  func onRelease(_ action: @escaping @Sendable () -> Void) {
    Task {
      try await wait(for: .note("release"))
      action()
    }
  }

  func release() { record(.note("release")) }
}

/// A value that belongs to a call's thread. The value crosses other threads on its way back to this
/// thread, which the compiler does not allow without this type.
struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
