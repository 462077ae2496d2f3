internal import Synchronization

/// The time for which a call waits for its client's next message.
final class MessageWait: Sendable {
  /// Nil while the call works on a message, and after the last one.
  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// Returns the next message. One task at a time may wait for it.
  func next<Message>(_ read: () async throws -> Message?) async throws -> Message? {
    start.withLock { $0 = .now }
    defer { start.withLock { $0 = nil } }
    return try await read()
  }

  /// Returns when a message has been waited for as long as `limit`. Throws when the task is cancelled.
  func lasts(_ limit: Duration) async throws {
    while true {
      let now = ContinuousClock.now
      let left = now.duration(to: (start.withLock { $0 } ?? now) + limit)
      guard left > .zero else { return }
      try await Task.sleep(for: left)
    }
  }
}
