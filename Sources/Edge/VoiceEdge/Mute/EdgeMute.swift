internal import VoiceClient

/// The mute state of the microphone and its causes: the mute of the session, on the server or
/// local, and the hardware switch.
struct EdgeMute: Sendable, Equatable {
  enum Holder: String, Sendable { case session, hardware }

  /// The mute of the session, and the requests of this machine.
  var requested: RequestedMute
  /// Whether the device's capture switch is off.
  var hardware = false
  /// Whether a press of the mute key that asks to mute is being decided.
  var isPressed = false

  init(session: Bool) { requested = RequestedMute(muted: session) }

  /// Whether the session is muted.
  var session: Bool { requested.state }

  /// Whether any cause mutes the microphone. Sound needs the agreement of all.
  var isMuted: Bool { isMutedInSession || hardware }

  /// Whether the session is muted, or is asked to mute.
  var isMutedInSession: Bool { requested.isMuted || isPressed }

  /// The position from which on the server's output is heard while the session is muted.
  var heardFrom: Int64 { isPressed ? .max : requested.appliedFrom }

  var holders: [Holder] {
    (isMutedInSession ? [.session] : []) + (hardware ? [.hardware] : [])
  }
}
