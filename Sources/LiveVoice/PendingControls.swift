internal import AnechoicAPI

/// The controls that wait to be sent, in their order.
struct PendingControls {
  /// The most controls that wait. Further decisions are left out; the mute state never is.
  private static let capacity = 256

  private var waiting: [Anechoic_V1_Control] = []
  private var lastID: UInt64 = 0

  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a control, and numbers it. A mute state replaces one that was added just before it.
  mutating func add(_ control: Anechoic_V1_Control) {
    if case .setMute = control.control {
      if case .setMute = waiting.last?.control { waiting.removeLast() }
    } else if waiting.count >= Self.capacity {
      return
    }
    lastID += 1
    var control = control
    control.controlID = lastID
    waiting.append(control)
  }

  mutating func take() -> Anechoic_V1_Control? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }

  mutating func drop() { waiting.removeAll() }
}
