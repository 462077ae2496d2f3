/// A key of a headset, a keyboard or a telephone.
public enum HeadsetKey: String, Sendable, CaseIterable {
  /// Mutes the microphone.
  case micMute = "mic-mute"
  /// Plays and pauses media, and answers calls on many headsets.
  case playPause = "play-pause"
  /// Takes a telephone off its hook, and puts it back.
  case hookSwitch = "hook-switch"
  /// Reports that a telephone rings.
  case ring

  /// Whether the key stays in its state until it changes, so that releases count too.
  var isSwitch: Bool { self == .hookSwitch || self == .ring }
}

/// A press or a release of a key.
struct KeyEvent: Sendable, Equatable {
  var key: HeadsetKey
  var isPressed: Bool
}

/// The effect of a key.
public enum KeyAction: String, Sendable, CaseIterable {
  case none
  /// Asks the session to change its mute state. A hook switch asks to unmute when it is off the hook,
  /// and to mute when it is on the hook.
  case mute
  /// Runs the command of the configuration.
  case command
}
