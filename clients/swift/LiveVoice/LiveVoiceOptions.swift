public import AnechoicAPI
internal import AudioCore
public import GRPCTransport
public import VoiceClient

/// The settings of a `LiveVoice`.
public struct LiveVoiceOptions: Sendable {
  /// The format of the microphone, the output, or the reference.
  public struct Format: Sendable, Equatable {
    /// 8000, 16000, 24000, 32000, 44100 or 48000.
    public var sampleRate: Int
    /// 1 or 2.
    public var channels: Int

    /// Creates a format. The rate is in Hz.
    public init(sampleRate: Int, channels: Int = 1) {
      self.sampleRate = sampleRate
      self.channels = channels
    }
  }

  /// The sound while there is no processed sound.
  public enum Fallback: Sendable {
    /// The microphone as it is, at the same delay.
    case microphone
    /// Silence.
    case silence
  }

  /// The mic mode at the start of the session.
  public enum MicMode: Sendable {
    /// Removes echo and noise.
    case standard
    /// Removes all but the voice.
    case voiceIsolation
    /// Removes echo and keeps all other sound.
    case wideSpectrum
  }

  /// The consumer of the output.
  public enum Consumer: Sendable {
    /// People, who hear as little noise as possible.
    case people
    /// A recognizer of speech, which noise harms less than its removal.
    case recognizer
  }

  /// The encoding of samples on the network.
  public enum Encoding: Sendable {
    /// 16-bit integers.
    case int16
    /// 32-bit floats, twice the data.
    case float32
    /// Opus packets of 20 ms with 32 kb/s for each channel. At 8000, 16000, 24000 or 48000 Hz. The delay
    /// has to be 20 ms longer.
    case opus
  }

  /// `HOST:PORT` or `unix:PATH`.
  public var server: String
  /// The owner of the session, for a server that does not verify clients. Printable ASCII.
  public var clientName: String?
  /// Plaintext or TLS.
  public var security = ChannelSecurity.plaintext
  /// The source of the token that each call presents. Nil sends no token.
  public var credentials: (any CredentialsProvider)?
  /// The format of the microphone and of the output.
  public var microphone: Format
  /// The loudspeaker's signal, or nil if there is none. Its rate is the microphone's.
  public var reference: Format?
  /// The encoding of samples on the network. Default: `int16`.
  public var encoding = Encoding.int16
  /// The mic mode. Default: `standard`.
  public var micMode = MicMode.standard
  /// The consumer of the output. Default: `people`.
  public var consumer = Consumer.people
  /// Whether the session finds turns. Their events come as `LiveVoiceEvent.session`. Default: false.
  public var detectsTurns = false
  /// The name of an engine, or "" for the server's default.
  public var engine = ""
  /// Whether the session starts muted.
  public var isMuted = false
  /// Labels of the session, which other clients see in lists.
  public var labels: [String: String] = [:]
  /// The delay from the microphone to the output, which is constant. 50 ms to 1 s.
  public var delay = Duration.milliseconds(120)
  /// The sound while there is no processed sound. Default: `microphone`.
  public var fallback = Fallback.microphone
  /// The echo path that an earlier voice with the same loudspeaker, or on the same line, has learnt. The
  /// session begins with it. A path that does not fit is forgotten within the first half second of echo.
  public var echoPathHint: Anechoic_V1_EchoPath?
  /// Takes each echo path that the sessions have learnt, the last one after `close`. Called from any thread;
  /// it must not wait. If nil, no session tells its echo path.
  public var onEchoPath: (@Sendable (Anechoic_V1_EchoPath) -> Void)?

  /// Creates settings with the defaults. Without a reference, no echo is removed.
  public init(server: String, microphone: Format, reference: Format? = nil) {
    self.server = server
    self.microphone = microphone
    self.reference = reference
  }

  /// The problem of the first setting that is not valid, or nil.
  public var problem: String? {
    let rates = [8000, 16000, 24000, 32000, 44100, 48000]
    for (name, format) in [("microphone", microphone), ("reference", reference ?? microphone)] {
      if !rates.contains(format.sampleRate) {
        return "\(name): \(format.sampleRate) Hz is not supported; use 8000, 16000, 24000, 32000, "
          + "44100 or 48000"
      }
      if encoding == .opus,
        !OpusSettings.sampleRates.contains(where: { $0.hertz == format.sampleRate })
      {
        return
          "\(name): \(format.sampleRate) Hz is not supported with Opus; use 8000, 16000, 24000 or "
          + "48000"
      }
      if !(1...2).contains(format.channels) {
        return "\(name): \(format.channels) channels are not supported; use 1 or 2"
      }
    }
    if let reference, reference.sampleRate != microphone.sampleRate {
      return "reference: \(reference.sampleRate) Hz is not the microphone's rate; use "
        + "\(microphone.sampleRate)"
    }
    if !(.milliseconds(50)...Duration.seconds(1)).contains(delay) {
      return "delay: it must be 50 ms to 1 s"
    }
    return ServerAddress.connectingProblem(server).map { "server: \($0)" }
  }
}
