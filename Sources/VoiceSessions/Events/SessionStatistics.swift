public import VoiceEngines

/// What a session's pipeline measures of itself.
public struct SessionStatistics: Sendable, Equatable {
  public var echo = EchoMetrics()
  /// Of the echo behind the reference; nil before it is known.
  public var echoDelay: Duration?
  /// By how many parts per million the clock of the reference is faster than the microphone's; nil
  /// before it is known.
  public var driftPPM: Double?
  /// Whether the echo canceller has found the echo and removes it.
  public var hasConverged = false
  public var levels = Levels()
  public var flow = Flow()
  public var activeMicMode = MicMode.standard
  /// Of other audio, in dB, 0 or less.
  public var duckingGain: Float = 0

  /// In dBFS, of the last frame.
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
  }
}
