internal import VoiceClient

/// The mute state of the microphone and its causes: the mute of the session, on the server or
/// local, and the hardware switch.
struct EdgeMute: Sendable, Equatable {
  enum Holder: String, Sendable { case session, hardware }

  private var requested: RequestedMute
  /// Whether the device's capture switch is off.
  var hardware = false

  init(session: Bool) { requested = RequestedMute(muted: session) }

  /// Whether the session is muted.
  var session: Bool { requested.told }

  /// The state that was requested last, which counts once the connection is lost.
  var wanted: Bool { requested.wanted }

  /// Whether the session is muted, or was asked to mute.
  var isMutedInSession: Bool { requested.isMuted }

  /// Whether any cause mutes the microphone. Sound needs the agreement of all.
  var isMuted: Bool { requested.isMuted || hardware }

  var holders: [Holder] {
    (requested.isMuted ? [.session] : []) + (hardware ? [.hardware] : [])
  }

  /// Records a request on this machine. A mute takes effect until the session answers.
  mutating func request(_ muted: Bool, controlID: UInt64) {
    requested.ask(muted, controlID: controlID)
  }

  /// Records the state of the session, however it was changed.
  mutating func sessionChanged(_ muted: Bool) { requested.changed(to: muted) }

  /// Records the answer to a request.
  mutating func answered(controlID: UInt64, isRefused: Bool) {
    requested.answered(controlID: controlID, isRefused: isRefused)
  }

  /// Forgets a request whose answer was recorded as a state.
  mutating func withdraw(controlID: UInt64) { requested.withdraw(controlID: controlID) }

  /// Sets the state while there is no server.
  mutating func settle(_ muted: Bool) { requested.settle(muted) }
}
