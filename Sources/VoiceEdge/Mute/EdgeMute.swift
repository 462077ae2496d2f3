/// Whether the microphone is muted, and by what. The session's state is the server's, or the local
/// fallback's; a hardware switch is another input beside it.
struct EdgeMute: Sendable, Equatable {
  enum Holder: String, Sendable { case session, hardware }

  /// What the session says.
  private(set) var session: Bool
  /// Whether the device's own capture switch is off.
  var hardware = false
  /// Asked for on this machine, and not answered yet.
  private var requested = false

  init(session: Bool) { self.session = session }

  /// Whoever wants silence has it at once; for sound all must agree.
  var isMuted: Bool { session || hardware || requested }

  var holders: [Holder] {
    (session || requested ? [.session] : []) + (hardware ? [.hardware] : [])
  }

  /// Mute was asked for here: it holds until the session answers.
  mutating func request(_ muted: Bool) { requested = muted }

  /// The session was muted or unmuted, by whatever road.
  mutating func sessionChanged(_ muted: Bool) {
    session = muted
    requested = false
  }

  /// The session refused.
  mutating func requestFailed() { requested = false }
}
