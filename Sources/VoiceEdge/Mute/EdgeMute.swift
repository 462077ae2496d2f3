/// The mute state of the microphone and its causes: the mute of the session, on the server or
/// local, and the hardware switch.
struct EdgeMute: Sendable, Equatable {
  enum Holder: String, Sendable { case session, hardware }

  /// Whether the session is muted.
  private(set) var session: Bool
  /// Whether the device's capture switch is off.
  var hardware = false
  /// Whether mute was requested on this machine and not answered yet.
  private var requested = false

  init(session: Bool) { self.session = session }

  /// Whether any cause mutes the microphone. Sound needs the agreement of all.
  var isMuted: Bool { session || hardware || requested }

  var holders: [Holder] {
    (session || requested ? [.session] : []) + (hardware ? [.hardware] : [])
  }

  /// Records a request on this machine. A mute takes effect until the session answers.
  mutating func request(_ muted: Bool) { requested = muted }

  /// Records the state of the session, however it was changed.
  mutating func sessionChanged(_ muted: Bool) {
    session = muted
    requested = false
  }

  /// Records that the session refused the request.
  mutating func requestFailed() { requested = false }
}
