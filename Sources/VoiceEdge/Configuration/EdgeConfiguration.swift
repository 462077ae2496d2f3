public import AnechoicAPI
public import AudioCore
public import GRPCTransport

/// All that can be set of an agent. `deploy/edge/anechoic-edge.yaml` says what each key means.
public struct EdgeConfiguration: Sendable {
  public var server = Server()
  public var session = Session()
  public var audio = Audio()
  public var routes = Routes()
  public var programs = Programs()
  public var mute = Mute()
  public var fallback = Fallback.light
  /// Of the local control; nil for none.
  public var controlSocket: String? = "/run/anechoic-edge/control.sock"

  public init() {}

  public struct Server: Sendable {
    /// `HOST:PORT` or `unix:PATH`.
    public var address = "127.0.0.1:50051"
    public var security = ChannelSecurity.plaintext
  }

  public struct Session: Sendable {
    /// Its id on the server; empty for `edge-` and the host's name.
    public var id = ""
    /// What the agent calls itself to the server.
    public var client = "anechoic-edge"
    public var configuration = Anechoic_V1_SessionConfig()
  }

  public struct Audio: Sendable {
    /// Of the session; devices may have others.
    public var rate = SampleRate.hz48000
    /// Of the microphone and the processed voice.
    public var inputChannels = 1
    /// Of the loudspeaker.
    public var outputChannels = 2
    /// Periods of 10 ms in a device's buffer.
    public var periods = 4
    /// In dB, on the loudspeaker.
    public var volume = 0.0
    public var reference = Reference.automatic
  }

  /// What the server is told of what the loudspeaker plays.
  public enum Reference: Sendable, Equatable {
    /// The loopback of the route where there is one, else reports.
    case automatic
    /// When the server's own mix is heard.
    case reports
    /// What the agent has played, after its volume.
    case tap
  }

  public struct Routes: Sendable {
    public var policy = Policy.priority
    /// In the order of the file.
    public var ports: [Port] = []

    public enum Policy: Sendable, Equatable {
      /// The port of the highest priority that is there.
      case priority
      /// The port that was plugged in or chosen last; at first that of the highest priority.
      case followsUse
      /// This port and no other.
      case only(String)
    }
  }

  /// A microphone and a loudspeaker that belong together.
  public struct Port: Sendable, Equatable {
    /// Stable over reboots and replugging.
    public var id: String
    public var displayName = ""
    public var type = Anechoic_V1_AudioPort.TypeEnum.unspecified
    /// PCMs of ALSA; nil for none.
    public var input: String?
    public var output: String?
    /// Capture of what the loudspeaker plays.
    public var loopback: String?
    /// The mixer, which tells of the capture switch and of devices that go.
    public var control: String?
    public var headphones = false
    public var priority = 0

    public init(id: String) { self.id = id }
  }

  public struct Programs: Sendable {
    public var farEnd: Endpoint?
    public var farEndChannels = 1
    public var otherAudio: Endpoint?
    public var otherAudioChannels = 2
    public var voice: Endpoint?
  }

  public struct Mute: Sendable {
    public var startsMuted = false
    /// Whether a muted microphone is heard on this machine only.
    public var staysLocal = false
    /// Input devices or FIFOs with `struct input_event`, for KEY_MICMUTE.
    public var keys: [String] = []
    /// Files that are given 1 while muted, else 0, such as the brightness of a LED.
    public var lamps: [String] = []
    /// Asked about each press where the session's policy is to ask: exit status 0 accepts it.
    public var gestureCommand: String?
  }

  /// What the agent does while there is no server.
  public enum Fallback: String, Sendable, CaseIterable {
    /// High-pass filter, voice activity, muted talker and ducking.
    case light
    /// All that the session is configured to, on this machine.
    case full
    /// The microphone as it is; mute and the mix of what is played work.
    case passThrough = "pass-through"
    /// Silence for the programs; what is played is mixed.
    case silence
  }
}
