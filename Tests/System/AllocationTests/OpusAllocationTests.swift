import AudioCore
import BundledEngines
import CAllocationCounter
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// The allocations of a session whose inputs and outputs are Opus packets, some of which are lost.
struct OpusAllocationTests {
  @Test(arguments: OpusSettings.sampleRates, [false, true])
  func theFramePathAllocatesNothing(rate: SampleRate, hasFEC: Bool) throws {
    let settings = OpusSettings(channelCount: 1, hasFEC: hasFEC)
    let format = AudioFormat.opus(rate, settings)
    var setup = SessionSetup(microphone: format, reference: format, processed: format)
    setup.farEnd = .opus(rate, channelCount: 2)
    setup.playback = .opus(rate, channelCount: 2, settings)
    setup.framesPerChunk = 2
    setup.isRealTime = false
    let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    let noise = Signals.noise(rate.hertz * 4, amplitude: 0.05)
    let mono = Packets.encode([noise], rate, settings)
    let stereo = Packets.encode([noise, noise], rate)
    let sink = CountingSink()
    func send(_ index: Int) throws {
      let first = Int64(index * 2 * rate.samplesPerFrame)
      func append(_ packets: [[UInt8]], _ input: InputKind) throws {
        try packets[index].withUnsafeBytes {
          try session.append($0, to: input, firstSample: first, gap: .dropped, sink: sink)
        }
      }
      // Every tenth packet of each input is lost, at another time.
      if index % 10 != 3 { try append(mono, .reference) }
      if index % 10 != 5 { try append(stereo, .farEnd) }
      if index % 10 != 7 { try append(mono, .microphone) }
      session.process(sink: sink)
    }
    for index in 0..<100 { try send(index) }
    // The events of the gaps are emitted to a sink that drops them.
    allocation_counter_start()
    for index in 100..<200 { try send(index) }
    let count = allocation_counter_stop()
    #expect(count == 0)
    #expect(sink.chunkCount > 190)
  }
}

private final class CountingSink: SessionSink {
  private(set) var chunkCount = 0

  func emit(_ chunk: OutputChunk) { chunkCount += 1 }
  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}
