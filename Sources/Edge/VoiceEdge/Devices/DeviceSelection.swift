internal import EdgeAudio
internal import Synchronization

/// The device that a loop should open. Others set it. The loop reads it without a lock.
final class DeviceSelection: Sendable {
  private struct Choice: Equatable {
    var name: String?
    var map = ChannelMap()
    var isOpen: Bool
  }

  private let choice: Mutex<Choice>
  private let changed = Mutex<@Sendable () -> Void>({})
  private let changes = Atomic<Int>(0)

  /// Creates a selection. If `isOpen` is false, the device stays closed until `setOpen`.
  init(_ name: String? = nil, isOpen: Bool = true) {
    choice = Mutex(Choice(name: name, isOpen: isOpen))
  }

  /// Calls a function after each change. It must return at once.
  func onChange(_ body: @escaping @Sendable () -> Void) { changed.withLock { $0 = body } }

  /// Selects a device and its channels. Nil selects none.
  func select(_ name: String?, _ map: ChannelMap = ChannelMap()) {
    change { ($0.name, $0.map) = (name, map) }
  }

  /// Says whether the selected device should be open.
  func setOpen(_ isOpen: Bool) { change { $0.isOpen = isOpen } }

  private func change(_ body: (inout Choice) -> Void) {
    let wasChanged = choice.withLock { choice in
      let before = choice
      body(&choice)
      return choice != before
    }
    guard wasChanged else { return }
    changes.add(1, ordering: .releasing)
    changed.withLock { $0 }()
  }

  /// A number that grows with every change.
  var generation: Int { changes.load(ordering: .acquiring) }

  /// The device to open. Nil for none.
  var current: String? { choice.withLock { $0.isOpen ? $0.name : nil } }

  /// The channels of the selected device.
  var map: ChannelMap { choice.withLock(\.map) }

  /// The selected device, if it is to stay closed.
  var closed: String? { choice.withLock { $0.isOpen ? nil : $0.name } }

  var isOpen: Bool { choice.withLock(\.isOpen) }
}
