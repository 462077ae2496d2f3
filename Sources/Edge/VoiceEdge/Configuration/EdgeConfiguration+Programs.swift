internal import AnechoicAPI
internal import AudioCore
internal import Settings

extension EdgeConfiguration {
  public struct Programs: Sendable {
    public var farEnd: Endpoint?
    public var farEndChannels = 1
    /// The far ends that programs play by name.
    public var farEnds: [FarEnd] = []
    /// The number of further far ends, for programs that choose a name themselves.
    public var spareFarEnds = 0
    public var otherAudio: Endpoint?
    public var otherAudioChannels = 2
    public var voice: Endpoint?
    /// The sound server whose other streams are lowered.
    public var desktop = Desktop.none
    /// The file that remembers lowered streams. Nil selects a file of the user.
    public var desktopMemory: String?
    /// The effect of a call on the media players of the desktop.
    public var media = Media.automatic
    /// The file that remembers paused players. Nil selects a file of the user.
    public var mediaMemory: String?
    /// The address of the session bus. Nil selects the bus of the user.
    public var sessionBus: String?
    /// The address of the system bus. Nil for that of the machine, if it has one.
    public var systemBus: String?

    public enum Media: String, Sendable, CaseIterable {
      /// The players are paused on a desktop, and go on elsewhere.
      case automatic
      /// The players go on.
      case leave
      /// The players are paused when a call begins, and resumed when it ends.
      case pause
      /// The players are paused only when the arbiter asks for it.
      case arbiter
    }

    public enum Desktop: Sendable, Equatable {
      case none
      /// The server of the user.
      case automatic
      /// The server at an address, such as `unix:/run/user/1000/pulse/native`.
      case server(String)
    }
  }

  static let programsSection: [Setting<EdgeConfiguration>] = [
    Setting(
      "programs.far_end", \.programs.farEnd, .endpoint,
      "The place where programs play the other side of the call"),
    Setting(
      "programs.far_end_channels", \.programs.farEndChannels, .integer(1...2),
      "The number of channels of the other side"),
    Setting(
      "programs.far_ends", \.programs.farEnds, .farEnds,
      """
      Further far ends, each with a name and a place, for several people or programs. A program \
      plays one to its FIFO, or by its name with EdgeService.PlayFarEnd. See \
      docs/features/spatial-audio.md
      """),
    Setting(
      "programs.spare_far_ends", \.programs.spareFarEnds, .integer(0...16),
      """
      The number of far ends beside those of programs.far_ends, for programs that choose a name \
      themselves with EdgeService.PlayFarEnd. Both together are 16 at most
      """),
    Setting(
      "programs.other_audio", \.programs.otherAudio, .endpoint,
      "The place where programs play music and prompts, which ducking lowers"),
    Setting(
      "programs.other_audio_channels", \.programs.otherAudioChannels, .integer(1...2),
      "The number of channels of music and prompts"),
    Setting(
      "programs.voice", \.programs.voice, .endpoint,
      "The place where programs record the processed voice"),
    Setting(
      "programs.desktop", \.programs.desktop, .desktop,
      """
      A PulseAudio server or PipeWire, on which the agent lowers what other programs play, as the \
      session lowers other audio; auto is the server of this user. Notifications, screen readers \
      and calls keep their volume
      """),
    Setting(
      "programs.desktop_memory", \.programs.desktopMemory, .optional(.wholePath),
      "The file that remembers the lowered streams until they are restored",
      unset: "$XDG_STATE_HOME/anechoic-edge/lowered-streams.json, or else below ~/.local/state"),
    Setting(
      "programs.media", \.programs.media, .choice,
      """
      The effect of a call on the media players of the desktop (programs with the MPRIS interface \
      on the session bus). With leave, they go on; with pause, they are paused when a call begins, \
      and those that are still paused are resumed when it ends; with automatic, they are paused \
      with programs.desktop, and go on without; with arbiter, they are paused and resumed only \
      when the arbiter of automatic switching asks for it
      """),
    Setting(
      "programs.media_memory", \.programs.mediaMemory, .optional(.wholePath),
      "The file that remembers the paused players until they are resumed",
      unset: "$XDG_STATE_HOME/anechoic-edge/paused-players.json, or else below ~/.local/state"),
    Setting(
      "programs.session_bus", \.programs.sessionBus, .bus,
      "The session bus; auto is the bus of this user"),
    Setting(
      "programs.system_bus", \.programs.systemBus, .bus,
      """
      The system bus, where logind tells that the machine is about to sleep; auto is that of the \
      machine, if it has one
      """),
  ]
}
