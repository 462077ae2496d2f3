internal import AudioCore

/// The delays of a session's outputs. An Opus encoder adds its look-ahead.
public struct OutputDelays: Sendable, Equatable {
  /// The time from the microphone to the processed output.
  public let processed: Duration
  /// The delay of the playback behind its sample indexes.
  public let playback: Duration
  /// The times from the microphone to these outputs. Nil without the output.
  public let recognizer: Duration?
  public let raw: Duration?

  init(
    _ capture: borrowing CaptureSide, _ setup: SessionSetup, _ chunks: borrowing OutputChunker
  ) {
    func added(_ samples: Int, _ format: AudioFormat?) -> Duration {
      format?.rate.duration(ofSamples: samples) ?? .zero
    }
    let (latencies, lookAheads) = (capture.latencies, chunks.lookAheads)
    processed = latencies.processed + added(lookAheads.processed, setup.processed)
    playback = added(lookAheads.playback, setup.playback)
    recognizer = latencies.recognizer.map { $0 + added(lookAheads.recognizer, setup.recognizer) }
    raw = latencies.raw.map { $0 + added(lookAheads.raw, setup.raw) }
  }
}
