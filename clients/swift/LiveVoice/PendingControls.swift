internal import AnechoicAPI
internal import VoiceClient

/// The controls that wait to be sent: the requests to change the mute state, then the others in their order.
struct PendingControls {
  /// The most controls that wait. Further decisions are left out; the mute state never is.
  private static let capacity = 256

  private var waiting: [Anechoic_V1_Control] = []
  private var mute = MuteRequests()
  private var lastID: UInt64 = 0
  /// The end of the audio that is sent before the request to unmute that waits.
  private var unmutesFrom = Int64.min

  var isEmpty: Bool { waiting.isEmpty && mute.isEmpty }

  /// Adds a control, and returns its number. `end` is the index after the microphone's last sample.
  @discardableResult
  mutating func add(_ control: Anechoic_V1_Control, at end: Int64 = .min) -> UInt64 {
    var control = control
    lastID += 1
    control.controlID = lastID
    if case .setMute(let request) = control.control {
      mute.add(control)
      if request.muted {
        unmutesFrom = .min
      } else if unmutesFrom == .min {
        // A repeated request to unmute waits only for the audio that the first one, which still
        // waits, waits for.
        unmutesFrom = end
      }
    } else if waiting.count < Self.capacity {
      waiting.append(control)
    }
    return lastID
  }

  /// Returns the next control to send, or nil if none may be sent now. A request to unmute waits
  /// until the audio captured before it has been sent: otherwise the server would process this
  /// audio as unmuted. `sent` is the end of the audio that was sent.
  mutating func pop(now: ContinuousClock.Instant, sent: Int64 = .max) -> Anechoic_V1_Control? {
    if sent >= unmutesFrom, let mute = mute.pop(now: now) {
      unmutesFrom = .min
      return mute
    }
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Records the answer to a control.
  mutating func answered(
    _ controlID: UInt64, isRefused: Bool, now: ContinuousClock.Instant
  ) {
    mute.answered(controlID, isRefused: isRefused, now: now)
  }

  mutating func drop() {
    waiting.removeAll()
    mute.drop()
    unmutesFrom = .min
  }
}
