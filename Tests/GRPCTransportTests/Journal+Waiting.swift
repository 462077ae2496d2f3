import GRPCTransport
import Synchronization

extension Journal {
  /// How often `event` came before it stayed away for a while: the one wait here that has no event
  /// to wait for.
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

  /// Runs `action` when the test says `release()`.
  func onRelease(_ action: @escaping @Sendable () -> Void) {
    Task {
      try await wait(for: .note("release"))
      action()
    }
  }

  func release() { record(.note("release")) }
}

/// Carries what belongs to a call's thread past the compiler, back onto that thread.
struct Confined<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
