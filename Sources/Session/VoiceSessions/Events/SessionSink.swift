public import AudioCore

/// The receiver of a session's results. Its methods are called on the session's thread, in the order of
/// the timeline.
public protocol SessionSink: AnyObject {
  /// Receives a chunk, which is valid until the method returns.
  func emit(_ chunk: OutputChunk)
  /// Receives a frame of the processed output and the frame of the playback of the same time, if the
  /// setup asks for frames. They are valid until the method returns, and the session must not be used
  /// meanwhile. The playback is silent in a session without one. Runs per frame.
  func emit(processed: borrowing Frame, playback: borrowing Frame)
  func emit(_ event: SessionEvent)
  func emit(_ result: ControlResult)
  func emit(_ statistics: SessionStatistics)
  /// Receives the echo path that the session has learnt, if its setup asks for it.
  func emit(_ path: EchoPath)
  /// Receives the voiceprint that the session has learnt.
  func emit(_ voiceprint: Voiceprint)
  /// Stores a decision of the media client for its later sessions.
  func store(permissionOf client: String, isGranted: Bool)
}

extension SessionSink {
  /// Receives nothing.
  public func emit(processed: borrowing Frame, playback: borrowing Frame) {}

  /// Receives nothing.
  public func emit(_ path: EchoPath) {}

  /// Receives nothing.
  public func emit(_ voiceprint: Voiceprint) {}

  /// Stores nothing.
  public func store(permissionOf client: String, isGranted: Bool) {}
}

/// Samples of each output, of the same time, valid for one call.
public struct OutputChunk {
  public let processed: Samples
  /// The playback, or nil without one.
  public var playback: Samples?
  /// The microphone for a recognizer of speech, or nil without this output.
  public var recognizer: Samples?
  /// The microphone as it was captured, or nil without this output.
  public var raw: Samples?
  /// One entry for each 10 ms, with a part of 10 ms counted as whole.
  public let frames: UnsafeBufferPointer<FrameInfo>

  /// The chunk for a client that does not play the playback.
  public var withoutPlayback: OutputChunk {
    var chunk = self
    chunk.playback = nil
    return chunk
  }

  public struct Samples {
    /// The interleaved samples in the format of the output, or one Opus packet.
    public let bytes: UnsafeRawBufferPointer
    /// The index of the first sample in the output's timeline.
    public let firstSample: Int64
    /// The number of samples of each channel. An Opus packet at the end of a session may decode to more.
    public let sampleCount: Int
  }
}

/// The findings in 10 ms of processed audio.
public struct FrameInfo: Sendable, Equatable {
  /// The probability of speech, 0...1.
  public var speechProbability: Float
  public var hasVoice: Bool
  /// Whether any of it is silenced because the microphone is muted.
  public var isMuted: Bool
}
