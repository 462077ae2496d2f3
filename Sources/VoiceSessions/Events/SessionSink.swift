/// Where a session's results go. Called on the session's thread, in the order of its timeline.
public protocol SessionSink: AnyObject {
  /// Runs per chunk: what it is lent is gone when it returns.
  func emit(_ chunk: OutputChunk)
  func emit(_ event: SessionEvent)
  func emit(_ result: ControlResult)
  func emit(_ statistics: SessionStatistics)
}

/// A run of each output, of the same time, lent.
public struct OutputChunk {
  public let processed: Samples
  /// Nil where no playback is wanted.
  public let playback: Samples?
  /// One for each 10 ms, begun ones included.
  public let frames: UnsafeBufferPointer<FrameInfo>

  public struct Samples {
    /// Interleaved, in the format of the output.
    public let bytes: UnsafeRawBufferPointer
    /// Index of the first sample in the output's timeline.
    public let firstSample: Int64
  }
}

/// What is said of 10 ms of processed audio.
public struct FrameInfo: Sendable, Equatable {
  /// 0...1.
  public var speechProbability: Float
  public var hasVoice: Bool
  /// Whether any of it is silenced because the microphone is muted.
  public var isMuted: Bool
}
