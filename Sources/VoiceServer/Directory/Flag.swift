internal import Synchronization

/// A flag between threads.
final class Flag: Sendable {
  private let value = Atomic(false)

  /// Returns whether it was down.
  func raise() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }

  func lower() { value.store(false, ordering: .releasing) }
}
