internal import VoiceSessions

/// A sink that reads all output of a session and discards it.
final class Silence: SessionSink {
  private(set) var sampleBytes = 0

  func emit(_ chunk: OutputChunk) {
    sampleBytes += chunk.processed.bytes.count + (chunk.playback?.bytes.count ?? 0)
  }

  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
