internal import Settings

extension EdgeConfiguration {
  public struct Keys: Sendable {
    public var actions: [HeadsetKey: KeyAction] = [.micMute: .mute]
    /// The command of the keys whose action is `command`.
    public var command: String?

    subscript(key: HeadsetKey) -> KeyAction {
      get { actions[key] ?? .none }
      set { actions[key] = newValue }
    }
  }

  static let keysSection: [Setting<EdgeConfiguration>] =
    HeadsetKey.allCases.map { key in
      Setting(
        "keys.\(key.rawValue.replacing("-", with: "_"))", flag: "keys-\(key.rawValue)", \.keys[key],
        .choice, key.help)
    } + [
      Setting(
        "keys.command", flag: "keys-command", \.keys.command, .optional(.command),
        """
        A shell command, which runs for each event, one after another, for 5 s at most. \
        ANECHOIC_KEY is mic-mute, play-pause, hook-switch or ring. ANECHOIC_PRESSED is true or \
        false; only hook-switch and ring report false
        """)
    ]
}

extension HeadsetKey {
  fileprivate var help: String {
    switch self {
    case .micMute: "The effect of KEY_MICMUTE, and of the HID usage Phone Mute"
    case .playPause:
      "The effect of KEY_PLAYPAUSE, KEY_PLAY, KEY_PLAYCD, KEY_PAUSECD and KEY_MEDIA"
    case .hookSwitch:
      """
      The effect of KEY_PHONE, KEY_PICKUP_PHONE and KEY_HANGUP_PHONE, and of the HID usage Hook \
      Switch
      """
    case .ring: "The effect of the HID usage Ringer"
    }
  }
}
