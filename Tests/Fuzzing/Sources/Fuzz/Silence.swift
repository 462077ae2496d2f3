internal import VoiceSessions

/// Takes what comes out of a session, and looks at all of it.
final class Silence: SessionSink {
  private(set) var sampleBytes = 0

  func emit(_ chunk: OutputChunk) {
    sampleBytes += chunk.processed.bytes.count + (chunk.playback?.bytes.count ?? 0)
  }

  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
