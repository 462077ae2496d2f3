internal import AudioDevices
internal import Synchronization

/// The device that a loop should open. Others set it. The loop reads it without a lock.
final class DeviceSelection: Sendable {
  private let name: Mutex<String?>
  private let changes = Atomic<Int>(0)

  init(_ name: String? = nil) { self.name = Mutex(name) }

  /// Selects a device. Nil selects none.
  func select(_ name: String?) {
    let wasChanged = self.name.withLock { current in
      defer { current = name }
      return current != name
    }
    if wasChanged { changes.add(1, ordering: .releasing) }
  }

  /// A number that grows with every change.
  var generation: Int { changes.load(ordering: .acquiring) }

  var current: String? { name.withLock { $0 } }
}
