internal import AudioDevices
internal import Synchronization

/// Which device a loop should have open: set by others, looked at by the loop without a lock.
final class DeviceSelection: Sendable {
  private let name: Mutex<String?>
  private let changes = Atomic<Int>(0)

  init(_ name: String? = nil) { self.name = Mutex(name) }

  /// Nil is none.
  func select(_ name: String?) {
    let wasChanged = self.name.withLock { current in
      defer { current = name }
      return current != name
    }
    if wasChanged { changes.add(1, ordering: .releasing) }
  }

  /// Grows with every change.
  var generation: Int { changes.load(ordering: .acquiring) }

  var current: String? { name.withLock { $0 } }
}
