internal import AudioCore
public import VoiceEngines

/// The statistics of a session.
public struct SessionStatistics: Sendable, Equatable {
  public var echo = EchoMetrics()
  /// The delay of the echo behind the reference, or nil where it is unknown.
  public var echoDelay: Duration?
  /// The probability that echo remains in the output, or nil where the engine does not know.
  public var residualEcho: Float?
  /// The drift in parts per million, positive if the clock of the reference is faster than the
  /// microphone's, or nil where it is unknown.
  public var driftPPM: Double?
  /// Whether the echo canceller has converged.
  public var hasConverged = false
  /// The echo reduction as a person hears it.
  public var heard = HeardEcho()
  public var levels = Levels()
  public var flow = Flow()
  public var activeMicMode = MicMode.standard
  /// Whether the engine runs in its reduced mode, because the server is overloaded.
  public var isReduced = false
  /// The gain on other audio in dB, 0 or less.
  public var duckingGain: Float = 0
  /// The buffer of the far end, or nil without one and under the media clock.
  public var farEnd: Buffer?
  /// Whether named far ends are rendered for both ears.
  public var isSpatialAudioActive = false
  /// The buffer of the other audio, or nil without one and under the media clock.
  public var otherAudio: Buffer?

  /// An elastic buffer of an input of the playback.
  public struct Buffer: Sendable, Equatable {
    /// The time that the next sample has waited since its earliest possible arrival.
    public var delay: Duration
    /// The delay that the jitter of the input demands.
    public var target: Duration

    public init(delay: Duration, target: Duration) {
      self.delay = delay
      self.target = target
    }
  }

  /// The echo reduction as a person hears it: the level of the microphone above that of the output while
  /// the reference sounds. Nil until the reference has sounded for 2 s.
  public struct HeardEcho: Sendable, Equatable {
    /// Whether the reference sounds, or did within the last 0.3 s.
    public var isReferenceActive = false
    /// The reduction of about the last second in which the reference sounded and no voice was found, in
    /// dB.
    public var reduction: Float?
    /// The reduction of the whole session where no voice was found, in dB, or else of all of it.
    public var reductionOfSession: Float?
  }

  /// The levels of the last frame in dBFS.
  public struct Levels: Sendable, Equatable {
    public var microphone = Decibels.silence
    public var processed = Decibels.silence
    public var noiseFloor = Decibels.silence
    /// 0...1.
    public var speechProbability: Float = 0
    /// The echo reference as it came, or nil without one.
    public var reference: Float?
  }

  public struct Flow: Sendable, Equatable {
    public var framesProcessed: UInt64 = 0
    public var samplesConcealed: UInt64 = 0
    public var referenceFramesMissing: UInt64 = 0
    /// The number of times that the session was suspended.
    public var suspensions: UInt32 = 0
  }
}
