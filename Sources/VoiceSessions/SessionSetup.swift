public import AudioCore

/// What a session is started with and keeps to its end.
public struct SessionSetup: Sendable {
  public static let chunkFrames = 1...12

  public var configuration: SessionConfiguration
  public var microphone: AudioFormat
  /// What the loudspeaker plays; nil where none will come.
  public var reference: AudioFormat?
  /// The microphone, processed.
  public var processed: AudioFormat
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
}
