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

  /// The levels of the last frame in dBFS.
  public struct Levels: Sendable, Equatable {
    public var microphone: Float = 0
    public var processed: Float = 0
    public var noiseFloor: Float = 0
    /// 0...1.
    public var speechProbability: Float = 0
  }

  public struct Flow: Sendable, Equatable {
    public var framesProcessed: UInt64 = 0
    public var samplesConcealed: UInt64 = 0
    public var referenceFramesMissing: UInt64 = 0
    /// The number of times that the session was suspended.
    public var suspensions: UInt32 = 0
  }
}
