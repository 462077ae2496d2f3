public import AudioCore
public import SpatialAudio

/// The setup of a session, which is constant to its end.
public struct SessionSetup: Sendable {
  public static let chunkFrames = 1...12

  public var configuration: SessionConfiguration
  public var startsMuted = false
  /// The client that streams the audio.
  public var owner = ControlOrigin(actor: "", isMediaClient: true)
  /// Whether the server allows injection when the session starts.
  public var allowsInjection = true
  /// Whether decisions about injection can be stored for later sessions.
  public var storesPermissions = false
  /// Whether the session runs in real time. Under the media clock it runs as fast as it can.
  public var isRealTime = true
  public var microphone: AudioFormat
  /// The arrangement of a microphone's two channels, or nil to leave them as they are.
  public var microphonePair: MicrophonePair.Layout?
  /// The format of the reference that the client captures at the loudspeaker, or nil for none.
  public var reference: AudioFormat?
  /// The format of the other side of the call, or nil for none.
  public var farEnd: AudioFormat?
  /// The named far ends, `SpatialSettings.largestSourceCount` at most. They need a playback.
  public var farEnds: [NamedFarEnd] = []
  /// The responses with which named far ends and other audio are rendered for both ears, at the rate of
  /// the playback. Without them, both are always mixed down.
  public var headResponses: HeadRelatedSet?
  /// The format of the audio that ducking lowers, or nil for none.
  public var otherAudio: AudioFormat?
  /// The format of the processed output.
  public var processed: AudioFormat
  /// The format of the output for a recognizer of speech, or nil for none.
  public var recognizer: AudioFormat?
  /// The format of the output with the microphone as it was captured, or nil for none.
  public var raw: AudioFormat?
  /// The format of the playback mix, or nil for none.
  public var playback: AudioFormat?
  /// The echo path that the session expects, or nil for none.
  public var echoPathHint: EchoPath?
  /// Whether the session tells the echo path that it has learnt.
  public var tellsEchoPath = false
  /// Whether the client may let the session learn and keep a voice.
  public var allowsEnrollment = true
  /// The voice that isolation keeps, or nil for the nearest.
  public var voiceprint: Voiceprint?
  /// Whether the session learns the voice at the microphone from its beginning.
  public var enrollsVoice = false
  /// Whether another device than the microphone's plays the playback. Its times belong to another clock,
  /// so the echo is found in the sound alone.
  public var playsElsewhere = false
  /// Whether the session emits the frames of the processed output and of the playback as they are, and
  /// no chunks. For a receiver in the same process.
  public var emitsFrames = false
  /// The number of frames in a chunk of output.
  public var framesPerChunk = 1
  /// The number of frames between two statistics, or nil for none.
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

  /// The formats of all outputs.
  public var outputs: [AudioFormat] {
    [processed] + [playback, recognizer, raw].compactMap(\.self)
  }

  /// Whether the session can render for both ears, once it has `headResponses`.
  public var canRender: Bool {
    (!farEnds.isEmpty || otherAudio != nil) && playback?.channelCount == 2
  }

  /// The number of sources that are rendered while spatial audio is enabled.
  public var sourceCount: Int {
    let isOtherAudioRendered = otherAudio != nil && !configuration.spatial.mixesOtherAudio
    return farEnds.count + (isOtherAudioRendered ? 2 : 0)
  }

  /// The format of the echo reference: that of the client, or else the playback mix.
  var echoReference: AudioFormat? { reference ?? playback }
}

/// A far end of a session with several ones.
public struct NamedFarEnd: Sendable, Equatable {
  public var id: String
  public var format: AudioFormat

  public init(id: String, format: AudioFormat) {
    self.id = id
    self.format = format
  }
}
