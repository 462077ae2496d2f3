import AnechoicAPI
import AudioCore
import BundledEngines
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Synchronization
import TestAudio
import Testing
import TestTime
import VoiceClient
import VoiceEngines
import VoiceServer

/// Sessions that are changed by clients, timers and the server. A replay produces the same bytes
/// and events.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ReplayedSessionTests {
  @Test(arguments: [Anechoic_V1_Pacing.mediaClock, .realTime])
  func changesFromAllSidesAreReplayed(pacing: Anechoic_V1_Pacing) async throws {
    let room = Room()
    let call = try await RecordedCall.run { server in
      try await RunningClient.run(
        server, Self.start(pacing), slackFrames: 20, adding: { room.fill(&$0) }
      ) { media, steering in
        let session = InjectedSession(name: media.session, media: media, server: server)
        try await media.waitForFrames(more: 40)
        try await muteFromAllSides(session, steering)
        // From here on the session has sound and is not muted.
        room.isQuiet.store(false, ordering: .relaxed)
        try await media.waitForFrames(more: 40)
        try await configure(session, steering)
        try await session.permit("olga")
        try await session.inject(AudioFormat.s16.babble(700), .s16, id: "audio", as: "olga")
        try await session.inject(texts: ["Yes."], id: "text", as: "olga")
        try await cancelAnInjection(session)
        try await media.waitForFrames(more: 40)
      }
    }
    #expect(call.heard.progress(of: "audio") == [.started, .finished])
    #expect(call.heard.progress(of: "text") == [.started, .finished])
    #expect(call.heard.progress(of: "cancelled") == [.started, .cancelled])
    #expect(call.heard.events.count { $0.muteChanged.hasState } == 4)
    #expect(call.heard.playback.contains { $0 != 0 })
    let outcome = try call.expectSame().outcome
    #expect(outcome.hasSameEngine && outcome.withheldFrom != nil)
    #expect(try outcome.digest.processedSha256 == Data(Self.sha256(call.heard.processed)))
    #expect(try outcome.digest.playbackSha256 == Data(Self.sha256(call.heard.playback)))
    #expect(outcome.frames == call.heard.frames.count)
  }

  @Test(arguments: [true, false])
  func otherWeightsOfTurnsAreReported(findsTurns: Bool) async throws {
    let call = try await RecordedCall.run { server in
      try await server.record(
        RecordedCall.start.with { $0.config.turnDetection.enabled = findsTurns },
        microphone: AudioFormat.s16.babble(700))
    }
    #expect(try call.expectSame().outcome.hasSameTurnWeights)
    let header = try SessionReplay(call.file, engines: .bundled).header
    var other = call.file
    let place = try #require(other.firstRange(of: Data(header.turnWeightsSha256.utf8)))
    other.replaceSubrange(place, with: Data(repeating: UInt8(ascii: "0"), count: place.count))
    let outcome = try Replay(other).outcome
    #expect(outcome.hasSameTurnWeights == !findsTurns)
    #expect(outcome.differsBy == nil && outcome.fault == nil)
  }

  @Test func timeoutsAreReplayed() async throws {
    let call = try await RecordedCall.run { server in
      let start = RecordedCall.start.with {
        $0.pacing = .realTime
        $0.config.mute.gesturePolicy = .ask
        $0.config.mute.gestureDecisionTimeout.nanos = 10_000_000
        $0.config.preferredInjectionMode = .spokenAudio
      }
      let stream = try await server.client.process(start)
      let steering = server.steering(as: "olga")
      let watch = try await steering.begunWatch(stream.started.session)
      try await stream.send(.with { $0.microphone.samples = Data(count: 3200) })
      try await steering.waitForFrames(of: stream.started.session)
      // No more audio comes. The media clock stands still, and the server's clock decides.
      let press = try await steering.reportMuteGesture(stream.started.session, id: "press")
      #expect(press.outcome == .timedOut)
      while true {
        let change = try await watch.event { event in
          if case .injectionAvailabilityChanged = event.event { true } else { false }
        }
        if !change.injectionAvailabilityChanged.available { break }
      }
      watch.cancel()
      stream.finish()
      var recording = Recording()
      while let response = try await stream.receive() { recording.record(response) }
      return recording
    }
    try call.expectSame()
  }

  @Test func aLateMicrophoneIsReplayed() async throws {
    let clock = TestClock()
    let call = try await RecordedCall.run(by: clock) { server in
      let stream = try await server.client.process(
        RecordedCall.start.with { $0.pacing = .realTime })
      let steering = server.steering(as: "olga")
      try await stream.send(.with { $0.microphone.samples = Data(count: 3200) })
      try await steering.waitForFrames(of: stream.started.session)
      // The microphone has to be more than 500 ms behind real time.
      clock.advance(by: .milliseconds(800))
      try await stream.send(.with { $0.microphone.samples = Data(count: 3200) })
      stream.finish()
      var recording = Recording()
      while let response = try await stream.receive() { recording.record(response) }
      return recording
    }
    #expect(
      call.heard.events.contains {
        $0.captureWarning.problem == Anechoic_V1_CaptureWarning.Problem.late
      })
    try call.expectSame()
  }

  @Test func theStopOfTheServerIsReplayed() async throws {
    var configuration = ServerConfiguration(
      addresses: ["127.0.0.1:0"], threads: 1, engines: .bundled)
    configuration.allowsRecording = true
    let server = try VoiceProcessingServer(configuration)
    let test = try TestServer(server)
    let call = try await RecordedCall.run(test) {
      try await RunningClient.run(test, RecordedCall.start) { media, _ in
        try await media.waitForFrames(more: 20)
        await server.stop(grace: .milliseconds(100))
      }
    }
    #expect(call.heard.endReason == .serverShutdown)
    #expect(call.heard.events.contains { $0.draining.hasEndsIn })
    try call.expectSame()
  }

  private static func start(_ pacing: Anechoic_V1_Pacing) -> Anechoic_V1_Start {
    RecordedCall.start.with {
      $0.pacing = pacing
      $0.inputs.reference = Anechoic_V1_AudioFormat(.s16)
      $0.inputs.farEnd = Anechoic_V1_AudioFormat(.s16)
      $0.inputs.otherAudio = Anechoic_V1_AudioFormat(.s16)
      $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
      $0.config.preferredInjectionMode = .spokenAudio
      $0.config.voiceActivityDetection.enabled = true
      $0.config.turnDetection.enabled = true
      $0.config.otherAudioDucking.advancedDuckingEnabled = true
    }
  }

  /// Mutes and unmutes twice: in the stream, by another client, and by gestures with a chime.
  private func muteFromAllSides(
    _ session: InjectedSession, _ steering: SessionsClient
  ) async throws {
    let watch = try await steering.begunWatch(session.name)
    _ = try await steering.setMute(session.name, muted: true)
    try await session.media.waitForFrames(more: 10)
    session.media.submit(.with { $0.setMute.muted = false })
    _ = try await watch.event { $0.muteChanged.hasState && !$0.muteChanged.state.muted }
    for id in ["press", "press again"] {
      let press = try await steering.reportMuteGesture(session.name, id: id)
      #expect(press.outcome == .applied && press.chimeInPlayback)
      try await session.media.waitForFrames(more: 10)
    }
    watch.cancel()
  }

  private func configure(_ session: InjectedSession, _ steering: SessionsClient) async throws {
    let change = Anechoic_V1_Session.with {
      $0.name = session.name
      $0.config.preferredMicMode = .voiceIsolation
      $0.config.otherAudioDucking.level = .max
      $0.config.turnDetection.endProbability = 0.2
    }
    _ = try await steering.update(
      change,
      mask: [
        "config.preferred_mic_mode", "config.other_audio_ducking.level",
        "config.turn_detection.end_probability",
      ])
    try await session.media.waitForFrames(more: 10)
    session.media.submit(.with { $0.clearPlayback_p = .init() })
    session.media.submit(.with { $0.setMute = .with { $0.ifGeneration = 77 } })
  }

  private func cancelAnInjection(_ session: InjectedSession) async throws {
    let own = session.server.steering(as: "olga")
    let watch = try await own.begunWatch(session.name)
    let injection = try await own.injectSpeech(
      .with {
        $0.name = session.name
        $0.injectionID = "cancelled"
        $0.format = Anechoic_V1_AudioFormat(.s16)
      })
    try await injection.send(.with { $0.samples = Data(AudioFormat.s16.babble(900)) })
    _ = try await watch.event { $0.injectionProgress.injectionID == "cancelled" }
    injection.cancel()
    _ = try await watch.event { $0.injectionProgress.state == .cancelled }
    watch.cancel()
  }

  /// Returns the digest computed by the `sha256sum` command.
  private static func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
    process.arguments = [file.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let digits = Array(text.prefix(64))
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}

/// The audio of the other inputs, 10 ms at a time, and whether the microphone has sound.
private final class Room: Sendable {
  let isQuiet = Atomic(true)
  private let frame = Atomic(0)
  private let voices = (1...3).map { AudioFormat.s16.babble(2000, seed: 30 + UInt32($0)) }

  func fill(_ audio: inout Anechoic_V1_AudioInput) {
    let size = AudioFormat.s16.bytes(10)
    let next = frame.wrappingAdd(1, ordering: .relaxed).oldValue
    let offset = next * size % voices[0].count
    func chunk(_ voice: Int) -> Data { Data(voices[voice][offset..<offset + size]) }
    audio.reference.samples = chunk(0)
    audio.farEnd.samples = chunk(1)
    audio.otherAudio.samples = chunk(2)
    if isQuiet.load(ordering: .relaxed) { audio.microphone.samples = Data(count: size) }
  }
}
