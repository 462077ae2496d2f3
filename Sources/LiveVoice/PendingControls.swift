internal import AnechoicAPI
internal import VoiceClient

/// The controls that wait to be sent: the requests to change the mute state, then the others in their order.
struct PendingControls {
  /// The most controls that wait. Further decisions are left out; the mute state never is.
  private static let capacity = 256

  private var waiting: [Anechoic_V1_Control] = []
  private var mute = MuteRequests()
  private var lastID: UInt64 = 0

  var isEmpty: Bool { waiting.isEmpty && mute.isEmpty }

  /// Adds a control, and returns its number.
  @discardableResult
  mutating func add(_ control: Anechoic_V1_Control) -> UInt64 {
    var control = control
    lastID += 1
    control.controlID = lastID
    if case .setMute = control.control {
      mute.add(control)
    } else if waiting.count < Self.capacity {
      waiting.append(control)
    }
    return lastID
  }

  /// Returns the next control to send, or nil if none may be sent now.
  mutating func take(now: ContinuousClock.Instant) -> Anechoic_V1_Control? {
    if let mute = mute.take(now: now) { return mute }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Notes the answer to a control.
  mutating func answered(
    _ controlID: UInt64, isRefused: Bool, now: ContinuousClock.Instant
  ) {
    mute.answered(controlID, isRefused: isRefused, now: now)
  }

  mutating func drop() {
    waiting.removeAll()
    mute.drop()
  }
}
