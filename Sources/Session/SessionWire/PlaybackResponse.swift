internal import AnechoicAPI
public import VoiceSessions

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
