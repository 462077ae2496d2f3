internal import AnechoicAPI

/// The controls that wait to be sent, in their order.
///
/// Only one mute state is under way at a time, and then the last one that waits, because a server refuses
/// controls if too many come at once.
struct PendingControls {
  /// The most controls that wait. Further decisions are left out; the mute state never is.
  private static let capacity = 256

  private var waiting: [Anechoic_V1_Control] = []
  private var mute: Anechoic_V1_Control?
  /// The mute state that was sent and is not answered yet.
  private var unanswered: UInt64?
  private var lastID: UInt64 = 0

  var isEmpty: Bool { waiting.isEmpty && mute == nil }

  /// Adds a control, and returns its number.
  @discardableResult
  mutating func add(_ control: Anechoic_V1_Control) -> UInt64 {
    var control = control
    lastID += 1
    control.controlID = lastID
    if case .setMute = control.control {
      mute = control
    } else if waiting.count < Self.capacity {
      waiting.append(control)
    }
    return lastID
  }

  /// Returns the next control to send, or nil if none may be sent now.
  mutating func take() -> Anechoic_V1_Control? {
    if unanswered == nil, let mute {
      unanswered = mute.controlID
      self.mute = nil
      return mute
    }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Notes the answer to a control.
  mutating func answered(_ controlID: UInt64) {
    if unanswered == controlID { unanswered = nil }
  }

  mutating func drop() {
    waiting.removeAll()
    (mute, unanswered) = (nil, nil)
  }
}
