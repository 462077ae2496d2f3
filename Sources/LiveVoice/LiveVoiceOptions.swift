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

    public init(sampleRate: Int, channels: Int = 1) {
      self.sampleRate = sampleRate
      self.channels = channels
    }
  }

  /// The sound while there is no processed sound.
  public enum Fallback: Sendable { case microphone, silence }

  public enum MicMode: Sendable { case standard, voiceIsolation, wideSpectrum }

  /// The encoding of samples on the network.
  public enum Encoding: Sendable { case int16, float32 }

  /// `HOST:PORT` or `unix:PATH`.
  public var server: String
  public var clientName: String?
  public var security = ChannelSecurity.plaintext
  public var credentials: (any CredentialsProvider)?
  public var microphone: Format
  /// The loudspeaker's signal, or nil if there is none. Its rate is the microphone's.
  public var reference: Format?
  public var encoding = Encoding.int16
  public var micMode = MicMode.standard
  /// The name of an engine, or "" for the server's default.
  public var engine = ""
  public var isMuted = false
  public var labels: [String: String] = [:]
  /// The delay from the microphone to the output, which is constant. 50 ms to 1 s.
  public var delay = Duration.milliseconds(120)
  public var fallback = Fallback.microphone

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
