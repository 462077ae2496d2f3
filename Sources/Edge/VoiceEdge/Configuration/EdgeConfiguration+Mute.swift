internal import AnechoicAPI
internal import Settings

extension EdgeConfiguration {
  public struct Mute: Sendable {
    public var startsMuted = false
    public var audio = MutedAudio.staysLocal
    /// The devices that report keys: paths, or `name:` and the name of an input device.
    public var keys: [String] = []
    /// Files that are set to 1 while muted and to 0 otherwise, such as the brightness of a LED.
    public var lamps: [String] = []
    /// The command that decides a press if the session's policy is to ask. Exit status 0 accepts.
    public var gestureCommand: String?
    /// The ways in which a person is told who talks while muted.
    public var notice = TalkerNotice()

    /// The way of a muted microphone's sound.
    public enum MutedAudio: String, Sendable, CaseIterable {
      /// The agent detects the muted talker. Nothing leaves the machine.
      case staysLocal = "stays-local"
      /// The server detects the muted talker, and gives the sound to nobody.
      case sent
      /// The microphone is closed, and nobody detects anything.
      case closed
    }

    /// The ways in which a person is told who talks while muted.
    public struct TalkerNotice: Sendable, Equatable {
      /// Whether the mute lamps blink.
      public var blinks = true
      public var notification = Notification.automatic
      public var command: String?
      /// Whether the loudspeaker plays a chime.
      public var chimes = false
    }
  }

  /// Whether the desktop shows notifications of a kind.
  public enum Notification: String, Sendable, CaseIterable {
    /// On a desktop.
    case automatic
    case on
    case off

    func isOn(_ configuration: EdgeConfiguration) -> Bool {
      switch self {
      case .automatic: configuration.programs.desktop != .none
      case .on: true
      case .off: false
      }
    }
  }

  static let muteSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "mute.start_muted", \.mute.startsMuted, .boolean, "Whether the agent starts muted"),
    Setting(
      "mute.muted_audio", \.mute.audio, .choice,
      """
      The way of a muted microphone's sound. With stays-local, nothing leaves this machine: the \
      agent itself detects the muted talker, with the microphone open and its lamps dark; with \
      sent, the server detects the muted talker and gives the sound to nobody; with closed, the \
      microphone is closed and nobody detects anything
      """),
    Setting(
      "mute.keys", flag: "mute-keys", \.mute.keys, .keyDevices,
      """
      Devices with keys: input devices (/dev/input/...), HID devices with telephone keys \
      (/dev/hidraw0), FIFOs with the data of an input device, name: and the name of an input \
      device, or bluez for the buttons of Bluetooth headsets through bluetoothd (play_pause \
      below). The devices may appear later. A file that is none of these, or cannot be read, is \
      an error. Name a headset's input device or its HID device, not both, or each press of its \
      mute key counts twice
      """),
    Setting(
      "mute.lamps", flag: "mute-lamps", \.mute.lamps, .lamps,
      "Files that the agent sets to 1 while muted and to 0 otherwise"),
    Setting(
      "mute.gesture_command", \.mute.gestureCommand, .optional(.command),
      """
      A shell command that decides a press if the session's gesture policy is ASK. ANECHOIC_MUTED \
      is true or false, the requested state. Exit status 0 within 5 s accepts
      """, unset: "accept"),
    Setting(
      "mute.talker_blinks", \.mute.notice.blinks, .boolean,
      "Whether the mute lamps blink twice a second while a person talks muted"),
    Setting(
      "mute.talker_notification", \.mute.notice.notification, .choice,
      """
      Whether the desktop shows a notification while a person talks muted: on, off, or automatic, \
      which is on with programs.desktop. Uses the notification service of programs.session_bus
      """),
    Setting(
      "mute.talker_command", \.mute.notice.command, .optional(.command),
      """
      A shell command, which runs when a person begins to talk muted and when that ends, for 5 s \
      at most. ANECHOIC_TALKING is true or false
      """),
    Setting(
      "mute.talker_chime", \.mute.notice.chimes, .boolean,
      "Whether the loudspeaker plays a chime when a person begins to talk muted"),
  ]
}
