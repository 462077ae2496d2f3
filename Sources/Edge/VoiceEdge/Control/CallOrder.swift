internal import Synchronization

/// Calls to the server that must arrive there one after another: each is made once the one before it has
/// ended. Separate calls may overtake each other.
final class CallOrder: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  /// Whether a call passes now, and the number of those that wait.
  var isTaken: Bool { state.withLock(\.isTaken) }
  var waitingCount: Int { state.withLock(\.waiting.count) }

  /// Makes a call when those before it have ended.
  func pass<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
    await enter()
    defer { leave() }
    return try await call()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.resume()
  }
}
