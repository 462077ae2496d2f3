import AudioCore
import BundledEngines
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// A session whose receiver is in the same process, and takes frames as they are.
struct FrameOutputTests {
  @Test func theFramesHaveTheSamplesOfTheChunks() throws {
    let (chunks, frames) = (RecordingSink(), FrameSink())
    for (sink, emitsFrames) in [(chunks as any SessionSink, false), (frames, true)] {
      var setup = SessionSetup(microphone: .f32(.hz16000))
      setup.farEnd = .f32(.hz16000)
      setup.playback = .f32(.hz16000)
      setup.emitsFrames = emitsFrames
      let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
      let voice = Signals.babble(16_000, rate: .hz16000)
      let frame = Frame(rate: .hz16000, channelCount: 1)
      for start in stride(from: 0, to: voice.count, by: frame.sampleCount) {
        for index in 0..<frame.sampleCount { frame.plane(0)[index] = voice[start + index] }
        try session.append(frame, to: .farEnd, deviceTime: nil, sink: sink)
        try session.append(frame, to: .microphone, deviceTime: nil, sink: sink)
        session.process(sink: sink)
      }
      #expect(session.processedSamples == 16_000)
    }
    #expect(frames.processed.contains { $0 != 0 } && frames.playback.contains { $0 != 0 })
    #expect(frames.chunkCount == 0)
    #expect(samples(chunks.processed) == frames.processed)
    #expect(samples(chunks.playback) == frames.playback)
  }

  private func samples(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}

private final class FrameSink: SessionSink {
  private(set) var processed: [Float] = []
  private(set) var playback: [Float] = []
  private(set) var chunkCount = 0

  func emit(processed: borrowing Frame, playback: borrowing Frame) {
    self.processed += processed.plane(0)
    self.playback += playback.plane(0)
  }

  func emit(_ chunk: OutputChunk) { chunkCount += 1 }
  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
