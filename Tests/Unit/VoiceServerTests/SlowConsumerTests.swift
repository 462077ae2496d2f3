import AnechoicAPI
import AudioCore
import BundledEngines
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// Clients that send and do not read.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SlowConsumerTests {
  /// 16 KB/s of input cause 384 KB/s of output.
  private static let microphone = AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1)
  private static let samples = Self.microphone.babble(3000)
  private static let audio = Anechoic_V1_ProcessRequest.audio(
    microphone: samples, microphone, milliseconds: 100)

  private func start(_ pacing: Anechoic_V1_Pacing) -> Anechoic_V1_Start {
    .mediaClock(Self.microphone).withoutInjection.with {
      $0.outputs.processed = Anechoic_V1_AudioFormat(.widest)
      $0.pacing = pacing
      $0.statsInterval.seconds = 1
    }
  }

  @Test(arguments: [Anechoic_V1_Pacing.realTime, .mediaClock])
  func aClientThatNeverReadsIsDisconnectedWithAReason(pacing: Anechoic_V1_Pacing) async throws {
    try await TestServer.run {
      $0.slowConsumerTimeout = .seconds(2)
      $0.stalledConsumerTimeout = .seconds(2)
    } _: { server in
      try await Bystander.watching(server) {
        let client = try StubbornClient(server)
        try client.send([.start(start(pacing))] + Self.audio, halfClosing: false)
        try await server.sessionsActive(become: 2)
        try await server.sessionsActive(become: 1)
        let trailers = try await client.read().trailers
        #expect(trailers.contains("has not read"), "\(trailers)")
      }
    }
  }

  @Test func inRealTimeTheOldestAudioIsLostAndNoEvent() async throws {
    try await TestServer.run { server in
      let client = try StubbornClient(server)
      let recording = try await Bystander.watching(server) {
        try client.send(
          [.start(start(.realTime))] + changes + Self.audio, halfClosing: true)
        // Real time matters here: the server reads the last audio after 2 s.
        try await realTime(.seconds(3))
        return try await client.read().recording
      }
      #expect(recording.processed.count < AudioFormat.widest.bytes(2000))
      #expect(recording.processed.count >= AudioFormat.widest.bytes(1000))
      #expect(recording.firstSamples == recording.firstSamples.sorted())
      #expect(recording.firstSamples.first == 0 && recording.firstSamples.last == 299 * 480)
      try expectNothingButAudioIsLost(recording)
      let dropped = try #require(recording.statistics.last?.flow.outputChunksDropped)
      #expect(dropped > 0 && dropped == UInt64(300 - recording.firstSamples.count))
      let samples = try #require(recording.statistics.last?.flow.outputSamplesDropped)
      #expect(samples == dropped * 480)
      let told = recording.events.map(\.outputDropped.samples).reduce(0, +)
      #expect(told > 0 && told <= Int64(samples))
    }
  }

  @Test func underTheMediaClockNothingIsLost() async throws {
    try await TestServer.run { server in
      let client = try StubbornClient(server)
      let recording = try await Bystander.watching(server) {
        try client.send(
          [.start(start(.mediaClock))] + changes + Self.audio, halfClosing: true)
        try await server.sessionsActive(become: 2)
        return try await client.read().recording
      }
      #expect(recording.processed.count == AudioFormat.widest.bytes(3000))
      #expect(recording.firstSamples == (0..<300).map { $0 * 480 })
      try expectNothingButAudioIsLost(recording)
      let quick = try await server.record(start(.mediaClock), changes + Self.audio)
      #expect(quick.processed == recording.processed)
    }
  }

  @Test(arguments: [Anechoic_V1_Pacing.realTime, .mediaClock])
  func everyControlOfAFloodIsAnswered(pacing: Anechoic_V1_Pacing) async throws {
    let ids = UInt64(1)...4000
    try await TestServer.run { server in
      let client = try StubbornClient(server)
      try client.send(
        [.start(start(pacing))] + ids.map { id in .control(.with { $0.controlID = id }) },
        halfClosing: true)
      let recording = try await Bystander.watching(server) {
        try await server.sessionsActive(become: 2)
        return try await client.read().recording
      }
      #expect(recording.results.map(\.controlID) == Array(ids))
      #expect(
        recording.results.allSatisfy { $0.refusal.code == StatusCode.invalidArgument.rawValue })
    }
  }

  @Test func aGapInRealTimeCostsNoAudio() async throws {
    try await TestServer.run { server in
      let late = Anechoic_V1_ProcessRequest.with {
        $0.audio = Self.audio[0].audio
        $0.audio.microphone.firstSample = 8000 * 2
      }
      let recording = try await server.record(
        start(.realTime), [Self.audio[0], late])
      #expect(recording.processed.count == AudioFormat.widest.bytes(2100))
      #expect(recording.statistics.last?.flow.outputChunksDropped == 0)
    }
  }

  @Test func aStopWaitsForTheUnreadOutputOfAnEndedSession() async throws {
    let server = try VoiceProcessingServer(
      ServerConfiguration(
        addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled))
    let running = try TestServer(server)
    let client = try StubbornClient(running)
    try client.send([.start(start(.mediaClock))] + Self.audio.prefix(3), halfClosing: true)
    try await running.sessionsActive(become: 1)
    async let stopped: Void = server.stop(grace: .seconds(10))
    while try await running.client.health() == .serving {}
    // Longer than a server would take that believes the session to be over.
    try await realTime(.milliseconds(300))
    let recording = try await client.read().recording
    #expect(recording.processed.count == AudioFormat.widest.bytes(300))
    #expect(recording.endReason == .clientClosed)
    await stopped
  }

  /// Changes the mode every half second, starting with the first.
  private var changes: [Anechoic_V1_ProcessRequest] {
    (1...5).map { index in
      .update(UInt64(index), ["preferred_mic_mode"], at: Int64(index) * 4000) {
        $0.preferredMicMode = index.isMultiple(of: 2) ? .standard : .wideSpectrum
      }
    }
  }

  private func expectNothingButAudioIsLost(_ recording: Recording) throws {
    #expect(recording.results.map(\.controlID) == [1, 2, 3, 4, 5])
    #expect(recording.statistics.map(\.flow.framesProcessed) == [100, 200, 300])
    // Each change has a ConfigChanged and a MicModeChanged, and the session has an end. In real time, a client
    // that sends at once is told that it is early.
    let others = recording.events.filter {
      $0.outputDropped == .init() && $0.captureWarning.problem != .early
    }
    #expect(others.count == 11)
    #expect(recording.hasContiguousEvents)
    #expect(recording.endReason == .clientClosed)
  }
}
