internal import Synchronization

/// Functions to call after a change.
final class Listeners: Sendable {
  typealias Listener = @Sendable () -> Void

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Adds a listener, which must return quickly. Returns an id for `remove`.
  func add(_ listener: @escaping Listener) -> UInt64 {
    state.withLock { state in
      state.last += 1
      state.listeners[state.last] = listener
      return state.last
    }
  }

  func remove(_ id: UInt64) { state.withLock { _ = $0.listeners.removeValue(forKey: id) } }

  /// Calls all listeners on this thread.
  func tell() { for listener in state.withLock({ Array($0.listeners.values) }) { listener() } }
}
