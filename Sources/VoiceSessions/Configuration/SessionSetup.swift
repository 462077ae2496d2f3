public import AudioCore

/// What a session is started with and keeps to its end.
public struct SessionSetup: Sendable {
  public static let chunkFrames = 1...12

  public var configuration: SessionConfiguration
  public var startsMuted = false
  /// Who streams the audio.
  public var owner = ControlOrigin(actor: "", isMediaClient: true)
  /// Whether the server lets anybody inject speech.
  public var allowsInjection = true
  /// Whether the session's time is that of its clients: false where it runs as fast as it goes.
  public var isRealTime = true
  public var microphone: AudioFormat
  /// What the loudspeaker plays, tapped at the device; nil where none will come.
  public var reference: AudioFormat?
  /// The other side of the call; nil where none will come.
  public var farEnd: AudioFormat?
  /// What ducking lowers; nil where none will come.
  public var otherAudio: AudioFormat?
  /// The microphone, processed.
  public var processed: AudioFormat
  /// All that is to be heard, mixed; nil where it is not wanted.
  public var playback: AudioFormat?
  /// Frames of 10 ms in a chunk of output.
  public var framesPerChunk = 1
  /// Frames between two statistics; nil for none.
  public var framesPerStatistics: Int?

  public init(
    configuration: SessionConfiguration = SessionConfiguration(), microphone: AudioFormat,
    reference: AudioFormat? = nil, processed: AudioFormat? = nil
  ) {
    self.configuration = configuration
    self.microphone = microphone
    self.reference = reference
    self.processed = processed ?? microphone
  }

  /// What the echo canceller is given: what the client sends, or else what this session mixes.
  var echoReference: AudioFormat? { reference ?? playback }
}
