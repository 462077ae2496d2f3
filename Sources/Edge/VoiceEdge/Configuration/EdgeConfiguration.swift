public import AnechoicAPI
public import AudioCore
public import EdgeAudio
public import GRPCTransport
public import VoiceClient

/// The configuration of an agent. `deploy/edge/anechoic-edge.yaml` explains each key.
///
/// To add a setting:
/// 1. Add a property with its default here.
/// 2. Add one line to the section's list in `EdgeConfiguration+Sections.swift`: the key, the
///    property, the format and the meaning. The flag is the key with hyphens, and the variable is
///    `ANECHOIC_EDGE_` and the flag in upper case.
/// 3. Run `scripts/generate settings`, which writes the sample file and the reference.
public struct EdgeConfiguration: Sendable {
  public var server = Server()
  public var session = Session()
  public var audio = Audio()
  public var routes = Routes()
  public var programs = Programs()
  public var calls = Calls()
  public var microphone = Microphone()
  public var mute = Mute()
  public var injection = Injection()
  public var keys = Keys()
  public var fallback = Fallback.light
  public var switching = Switching()
  /// The tunings of the products that ports name, from the file `audio.tuning`.
  public var tunings = TuningFile()
  /// The voice of the file `session.voiceprint`. Nil if there is none.
  public var voiceprint: Anechoic_V1_Voiceprint?
  /// The socket of the local control; nil for none.
  public var controlSocket: String? = ControlSocket().path

  public init() {}

  public struct Server: Sendable {
    /// `HOST:PORT` or `unix:PATH`.
    public var address = "127.0.0.1:50051"
    /// The caller creates `security` from these files.
    public var files = SecurityFiles()
    public var security = ChannelSecurity.plaintext
    /// The file with the token that each call presents. Nil for none.
    public var tokenFile: String?
    /// The source of the token, made of the file; nil for none.
    public var credentials: (any CredentialsProvider)?
  }

  /// The files for TLS, if it is requested.
  public struct SecurityFiles: Sendable, Equatable {
    public var isTLS = false
    public var authorities: NamedFile?
    public var certificate: NamedFile?
    public var key: NamedFile?
    public var serverName: String?

    /// Whether TLS is requested, with `tls` or with any of the files.
    public var isWanted: Bool {
      isTLS || authorities != nil || certificate != nil || serverName != nil
    }
  }

  public struct Session: Sendable {
    /// The id of the session on the server. Empty selects `edge-` and the host's name.
    public var id = ""
    /// The client name that the agent sends to the server.
    public var client = "anechoic-edge"
    /// The name of the engine on the server. Empty selects the server's default engine. Processing
    /// on this machine uses the agent's default engine.
    public var engine = ""
    public var configuration = Anechoic_V1_SessionConfig()
    /// The file for the ticket with which another device plays the session. Nil plays on this
    /// machine.
    public var share: String?
    /// The file with the ticket of another device's session, which this agent plays. Nil starts a
    /// session.
    public var join: String?
    /// The file with the voice that VOICE_ISOLATION keeps. Nil keeps it until the agent stops.
    public var voiceprint: NamedFile?
    /// The least margin of the buffer of a joined session: longer than the jitter of the network.
    public var joinBuffer = Duration.milliseconds(100)
  }

  public struct Audio: Sendable {
    /// The sample rate of the session. Devices may have others.
    public var rate = SampleRate.hz48000
    /// The number of channels of the microphone and the processed voice.
    public var inputChannels = 1
    /// The number of channels of the loudspeaker.
    public var outputChannels = 2
    /// The size of a device's buffer, in periods of 10 ms.
    public var periods = 4
    /// The gain of the loudspeaker in dB.
    public var volume = 0.0
    public var reference = Reference.automatic
    /// The file with the tunings. Nil for none.
    public var tuning: NamedFile?
  }

  /// A file, and the place where the configuration names it.
  public struct NamedFile: Sendable, Equatable {
    public var path: String
    public var place: String
  }

  /// The source of the echo reference.
  public enum Reference: Sendable, Equatable {
    /// The loopback of the route if it has one, otherwise reports.
    case automatic
    /// Everything that the loudspeaker of a desktop plays, also by other programs.
    case desktop
    /// Reports of when the server's mix was heard.
    case reports
    /// The samples that the agent played, after its gain.
    case tap
    /// A capture PCM of ALSA that hears everything that the loudspeaker plays.
    case pcm(String)

    /// Whether ports with a loopback or with reference channels use them.
    var mayLoop: Bool { self != .reports && self != .tap }
  }

  public struct Routes: Sendable {
    public var policy = Policy.priority
    /// The ports, in the order of the file.
    public var ports: [Port] = []
    /// The port that flags and variables describe. It has a device only if they name one.
    var commandLine = Port(id: Port.commandLineID)

    public enum Policy: Sendable, Equatable {
      /// Uses the present port with the highest priority.
      case priority
      /// Uses the port that was plugged in or selected last, and at the start the one with the
      /// highest priority.
      case followsUse
      /// Uses only this port.
      case only(String)
    }
  }

  /// A microphone and a loudspeaker that belong together.
  public struct Port: Sendable, Equatable {
    /// An id that survives reboots and replugging.
    public var id: String
    public var displayName = ""
    public var type = Anechoic_V1_AudioPort.TypeEnum.unspecified
    /// The ALSA PCM of the microphone. Nil for none.
    public var input: String?
    public var output: String?
    /// The PCM that captures the loudspeaker signal.
    public var loopback: String?
    /// The mixer. It reports the capture switch and devices that disappear.
    public var control: String?
    /// The jack of the port, whose state says whether the port is plugged in. Nil for a port
    /// without one.
    public var jack: JackName?
    /// The channels of the input that are the microphone. Empty for the first ones.
    public var inputChannels: [String] = []
    /// The channels of the input that carry what the loudspeaker plays.
    public var referenceChannels: [String] = []
    /// The channels of the output that are left and right. Empty for all.
    public var outputChannels: [String] = []
    public var headphones = false
    /// The direction in which the two microphones of the input hear together.
    public var pattern = Pattern.none
    /// The distance of the two microphones in mm.
    public var microphoneSpacing = 20
    /// Whether the two microphones have changed places, because the device is held the other way
    /// round.
    public var isTurned = false
    /// The product whose tuning applies. Nil selects the product with the id of the port.
    public var product: String?
    public var priority = 0

    public init(id: String) { self.id = id }

    public enum Pattern: String, Sendable, CaseIterable {
      /// Each microphone is a channel.
      case none
      case cardioid
      case stereo
    }

    /// The id of the port that flags describe.
    static let commandLineID = "command-line"
  }

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

  public struct Microphone: Sendable {
    public var open = Open.whenNeeded
    /// Files that are set to 1 while the microphone is open and to 0 otherwise.
    public var lamps: [String] = []

    /// The times at which the microphone is open.
    public enum Open: String, Sendable, CaseIterable {
      case always
      /// While a session processes the voice. While muted, only if the session detects a muted
      /// talker.
      case whenNeeded = "when-needed"
    }
  }

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

  public struct Keys: Sendable {
    public var actions: [HeadsetKey: KeyAction] = [.micMute: .mute]
    /// The command of the keys whose action is `command`.
    public var command: String?

    subscript(key: HeadsetKey) -> KeyAction {
      get { actions[key] ?? .none }
      set { actions[key] = newValue }
    }
  }

  /// The processing on this machine while there is no server.
  public enum Fallback: String, Sendable, CaseIterable {
    /// Echo cancellation, high-pass filter, voice activity, muted talker and ducking.
    case light
    /// Everything that the session's configuration requests, on this machine.
    case full
    /// The microphone, unchanged. Mute and the playback mix work.
    case passThrough = "pass-through"
    /// Silence for the programs. The playback mix works.
    case silence
  }
}
