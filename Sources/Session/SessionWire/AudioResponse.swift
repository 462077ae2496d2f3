internal import AnechoicAPI
public import VoiceSessions

/// A `ProcessResponse` with audio, written without the copies that SwiftProtobuf makes.
public struct AudioResponse {
  private let chunk: OutputChunk
  private let audioSize: Int

  public init(_ chunk: OutputChunk) {
    self.chunk = chunk
    audioSize =
      Self.size(chunk.processed) + Self.size(chunk.playback) + Self.size(chunk.recognizer)
      + Self.size(chunk.raw)
      + chunk.frames.reduce(0) { $0 + WireWriter.size(ofBytes: Self.size($1)) }
  }

  /// The size of the serialized message in bytes.
  public var size: Int { WireWriter.size(ofBytes: audioSize) }

  /// Writes `size` bytes. Runs per frame: no allocation, lock, log or await.
  public func write(to bytes: UnsafeMutableRawBufferPointer) {
    var writer = WireWriter(bytes)
    writer.writeLength(1, audioSize)  // ProcessResponse.audio
    chunk.processed.write(as: 1, to: &writer)  // AudioOutput.processed
    chunk.playback?.write(as: 2, to: &writer)
    for frame in chunk.frames {
      writer.writeLength(3, Self.size(frame))  // AudioOutput.frames
      if Self.isWritten(frame.speechProbability) { writer.writeFloat(1, frame.speechProbability) }
      if frame.hasVoice { writer.writeTrue(2) }
      if frame.isMuted { writer.writeTrue(3) }
    }
    chunk.recognizer?.write(as: 4, to: &writer)
    chunk.raw?.write(as: 5, to: &writer)
  }

  private static func size(_ samples: OutputChunk.Samples?) -> Int {
    samples.map { WireWriter.size(ofBytes: $0.wireSize) } ?? 0
  }

  private static func size(_ frame: FrameInfo) -> Int {
    (isWritten(frame.speechProbability) ? 5 : 0) + (frame.hasVoice ? 2 : 0)
      + (frame.isMuted ? 2 : 0)
  }

  /// Returns whether proto3 writes a value: it omits zero, but not minus zero.
  private static func isWritten(_ value: Float) -> Bool { value.bitPattern != 0 }
}

/// Samples of an output as an `AudioChunk`.
extension OutputChunk.Samples {
  /// The size of the serialized `AudioChunk` in bytes.
  var wireSize: Int {
    WireWriter.size(ofBytes: bytes.count)
      + 1 + WireWriter.size(ofVarint: UInt64(bitPattern: firstSample))
  }

  /// Writes an `AudioChunk` as a field of a message. Runs per frame: no allocation, lock, log or await.
  func write(as field: Int, to writer: inout WireWriter) {
    writer.writeLength(field, wireSize)
    writer.writeLength(1, bytes.count)  // AudioChunk.samples
    writer.writeBytes(bytes)
    writer.writeKey(2, .varint)  // AudioChunk.first_sample
    writer.writeVarint(UInt64(bitPattern: firstSample))
  }
}

/// A `JoinSessionResponse` with playback, written without the copies that SwiftProtobuf makes.
public struct PlaybackResponse {
  /// The largest part of the message that is not audio, in bytes.
  public static let overhead = 32

  private let samples: OutputChunk.Samples

  public init(_ samples: OutputChunk.Samples) { self.samples = samples }

  /// The size of the serialized message in bytes.
  public var size: Int { WireWriter.size(ofBytes: samples.wireSize) }

  /// Writes `size` bytes. Runs per frame: no allocation, lock, log or await.
  public func write(to bytes: UnsafeMutableRawBufferPointer) {
    var writer = WireWriter(bytes)
    samples.write(as: 2, to: &writer)  // JoinSessionResponse.playback
  }
}
