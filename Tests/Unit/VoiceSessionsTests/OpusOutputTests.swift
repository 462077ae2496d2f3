import AudioCore
import BundledEngines
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// The outputs of a session as Opus packets.
struct OpusOutputTests {
  @Test(arguments: OpusSettings.sampleRates, OpusSettings.packetFrames)
  func theAlgorithmicDelayIncludesTheEncoder(rate: SampleRate, frames: Int) throws {
    let sound = Signals.babble(rate.hertz, rate: rate)
    var setup = SessionSetup(microphone: .f32(rate), processed: .opus(rate))
    setup.configuration.voiceProcessing.isBypassed = true
    setup.framesPerChunk = frames
    let sink = PacketSink()
    let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    try session.send(encode([sound], .f32), to: .microphone, sink: sink)
    session.finish(.clientClosed, sink: sink)
    let decoded = Packets.decode(sink.processed, rate)
    let stated = rate.samples(in: session.delays.processed + .nanoseconds(1))
    let found = lag(of: decoded, behind: sound, limit: 2 * rate.samplesPerFrame + stated)
    #expect(abs(found - stated) <= 1)
    let count = frames * rate.samplesPerFrame
    #expect(sink.firstSamples == stride(from: 0, to: rate.hertz, by: count).map { Int64($0) })
    #expect(sink.sampleCounts.reduce(0, +) == rate.hertz)
  }

  @Test func theLastPacketIsFullAndItsSamplesAreCounted() throws {
    var setup = SessionSetup(microphone: .s16, processed: .opus(.hz16000))
    setup.framesPerChunk = 4
    let sink = PacketSink()
    let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    try session.send(
      encode([Signals.babble(1000, rate: .hz16000)], .s16), to: .microphone, sink: sink)
    session.finish(.clientClosed, sink: sink)
    #expect(sink.sampleCounts == [640, 360])
    #expect(Packets.decode(sink.processed, .hz16000).count == 1280)
  }

  @Test func thePlaybackIsLateByItsOwnDelay() throws {
    let sound = Signals.babble(16_000, rate: .hz16000)
    var setup = SessionSetup(microphone: .s16, processed: .s16)
    setup.farEnd = .f32(.hz16000)
    setup.playback = .opus(.hz16000)
    setup.framesPerChunk = 2
    setup.isRealTime = false
    let sink = PacketSink()
    let session = try VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    try session.send(encode([sound], .f32), to: .farEnd, sink: sink)
    try session.send(encode([Signals.silence(16_000)], .s16), to: .microphone, sink: sink)
    session.finish(.clientClosed, sink: sink)
    let stated = SampleRate.hz16000.samples(in: session.delays.playback)
    #expect(stated == 104)
    let decoded = Packets.decode(sink.playback, .hz16000)
    #expect(abs(lag(of: decoded, behind: sound, limit: 640) - stated) <= 1)
    let plain = try VoiceSession(
      SessionSetup(microphone: .s16), engine: EngineCatalog.bundled.defaultEngine)
    #expect(plain.delays.playback == .zero)
  }
}

/// Keeps the packets of a session.
private final class PacketSink: SessionSink {
  private(set) var processed: [[UInt8]] = []
  private(set) var playback: [[UInt8]] = []
  private(set) var firstSamples: [Int64] = []
  private(set) var sampleCounts: [Int] = []

  func emit(_ chunk: OutputChunk) {
    processed.append(Array(chunk.processed.bytes))
    if let samples = chunk.playback { playback.append(Array(samples.bytes)) }
    firstSamples.append(chunk.processed.firstSample)
    sampleCounts.append(chunk.processed.sampleCount)
  }

  func emit(_ event: SessionEvent) {}
  func emit(_ result: ControlResult) {}
  func emit(_ statistics: SessionStatistics) {}
}

extension VoiceSession {
  /// Sends one chunk of an input.
  fileprivate func send(_ bytes: [UInt8], to input: InputKind, sink: any SessionSink) throws {
    try bytes.withUnsafeBytes {
      try append($0, to: input, firstSample: nil, gap: .unspecified, sink: sink)
    }
    if input == .microphone { process(sink: sink) }
  }
}
