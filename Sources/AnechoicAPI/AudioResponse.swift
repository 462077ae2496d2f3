public import VoiceSessions

/// A `ProcessResponse` with processed audio, written without SwiftProtobuf's copies.
public struct AudioResponse {
  private let chunk: ProcessedChunk
  private let chunkSize: Int
  private let audioSize: Int

  public init(_ chunk: ProcessedChunk) {
    self.chunk = chunk
    chunkSize =
      WireWriter.size(ofBytes: chunk.samples.count)
      + 1 + WireWriter.size(ofVarint: UInt64(bitPattern: chunk.firstSample))
    audioSize =
      WireWriter.size(ofBytes: chunkSize)
      + chunk.frames.reduce(0) { $0 + WireWriter.size(ofBytes: Self.size($1)) }
  }

  /// Of the serialized message, in bytes.
  public var size: Int { WireWriter.size(ofBytes: audioSize) }

  /// Writes `size` bytes. Runs per frame: no allocation, lock, log or await.
  public func write(to bytes: UnsafeMutableRawBufferPointer) {
    var writer = WireWriter(bytes)
    writer.writeLength(1, audioSize)  // ProcessResponse.audio
    writer.writeLength(1, chunkSize)  // AudioOutput.processed
    writer.writeLength(1, chunk.samples.count)  // AudioChunk.samples
    writer.writeBytes(chunk.samples)
    writer.writeKey(2, .varint)  // AudioChunk.first_sample
    writer.writeVarint(UInt64(bitPattern: chunk.firstSample))
    for frame in chunk.frames {
      writer.writeLength(3, Self.size(frame))  // AudioOutput.frames
      if Self.isWritten(frame.speechProbability) { writer.writeFloat(1, frame.speechProbability) }
      if frame.hasVoice { writer.writeTrue(2) }
    }
  }

  private static func size(_ frame: FrameInfo) -> Int {
    (isWritten(frame.speechProbability) ? 5 : 0) + (frame.hasVoice ? 2 : 0)
  }

  /// Proto3 leaves out a value of zero, but not one of minus zero.
  private static func isWritten(_ value: Float) -> Bool { value.bitPattern != 0 }
}
