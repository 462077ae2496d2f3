/// Where a session's results go. Called on the session's thread, in the order of its timeline.
public protocol SessionSink: AnyObject {
  /// Runs per chunk: what it is lent is gone when it returns.
  func emit(_ chunk: ProcessedChunk)
  func emit(_ event: SessionEvent)
  func emit(_ result: ControlResult)
  func emit(_ statistics: SessionStatistics)
}

/// A run of processed audio, lent.
public struct ProcessedChunk {
  /// Interleaved, in the format of the processed output.
  public let samples: UnsafeRawBufferPointer
  /// Index of the first sample in the output's timeline.
  public let firstSample: Int64
  /// One for each 10 ms, begun ones included.
  public let frames: UnsafeBufferPointer<FrameInfo>
}

/// What is said of 10 ms of processed audio.
public struct FrameInfo: Sendable, Equatable {
  /// 0...1.
  public var speechProbability: Float
  public var hasVoice: Bool
}
