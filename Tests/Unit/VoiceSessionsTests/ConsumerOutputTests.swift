import AcousticSimulator
import AudioCore
import BundledEngines
import TestAudio
import Testing
import VoiceEngines
import VoiceSessions

/// The outputs for a recognizer of speech and for a recording, beside the processed one.
struct ConsumerOutputTests {
  private static let rate = SampleRate.hz16000

  private static func run(
    _ microphone: [Float], engine: any VoiceEngine.Type = EngineCatalog.bundled.defaultEngine,
    _ change: (inout SessionSetup) -> Void = { _ in }
  ) throws -> SessionRun {
    var setup = SessionSetup(microphone: .f32(rate))
    setup.recognizer = .f32(rate)
    setup.raw = .f32(rate)
    change(&setup)
    let run = try SessionRun(setup, engine: engine)
    try run.send(microphone: encode([microphone], .f32), in: 160)
    run.finish()
    return run
  }

  @Test func rawIsTheMicrophoneAndLateByItsDelay() throws {
    let sound = Signals.noise(16_037)
    let run = try Self.run(sound)
    let raw = decode(run.sink.raw, .f32(Self.rate))[0]
    let delay = Self.rate.samples(in: try #require(run.session.delays.raw))
    #expect(run.session.delays.raw == run.session.delays.processed)
    #expect(raw.count == sound.count)
    #expect(Array(raw[delay...]) == Array(sound[..<(sound.count - delay)]))
    #expect(raw[..<delay].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [SampleRate.hz8000, .hz16000, .hz24000, .hz44100, .hz48000])
  func eachOutputHasARateAndADelayOfItsOwn(output: SampleRate) throws {
    let sound = Signals.babble(48_000, rate: .hz48000)
    var setup = SessionSetup(microphone: .f32(.hz48000), processed: .f32(.hz16000))
    setup.recognizer = .f32(output)
    setup.raw = .f32(output)
    setup.configuration.voiceProcessing.isBypassed = true
    let run = try SessionRun(setup)
    try run.send(microphone: encode([sound], .f32), in: 480)
    run.finish()
    let same = decode(encode([Self.resampled(sound, to: output)], .f32), .f32(output))[0]
    for (bytes, delay) in [
      (run.sink.raw, run.session.delays.raw), (run.sink.recognizer, run.session.delays.recognizer),
    ] {
      let stated = output.samples(in: try #require(delay) + .nanoseconds(1))
      let found = lag(of: decode(bytes, .f32(output))[0], behind: same, limit: 2 * stated)
      #expect(abs(found - stated) <= 1)
    }
  }

  /// A sound at another rate, by linear interpolation.
  private static func resampled(_ sound: [Float], to rate: SampleRate) -> [Float] {
    (0..<rate.hertz).map { index in
      let position = Double(index) * 48_000 / Double(rate.hertz)
      let (first, share) = (Int(position), Float(position - position.rounded(.down)))
      let next = sound[min(first + 1, sound.count - 1)]
      return sound[first] + share * (next - sound[first])
    }
  }

  @Test func noiseIsLoweredGentlyForARecognizerAndGainIsNotControlled() async throws {
    let voice = try await Voices.near(after: 3).map { 0.3 * $0 }
    let noise = Signals.noise(voice.count, amplitude: 0.01)
    let microphone = zip(voice, noise).map(+)
    let run = try Self.run(microphone)
    let (people, recognizer) = (
      decode(run.sink.processed, .f32(Self.rate))[0],
      decode(run.sink.recognizer, .f32(Self.rate))[0]
    )
    let noiseAlone = 24_000..<44_000
    let (before, gentle, strong) = (
      level(microphone[noiseAlone]), level(recognizer[noiseAlone]), level(people[noiseAlone])
    )
    #expect((8...10.5).contains(before - gentle))
    #expect(before - strong > 20)
    let talking = 60_000..<min(voice.count, 90_000)
    #expect(abs(level(recognizer[talking]) - level(microphone[talking])) < 2)
  }

  @Test(arguments: EngineCatalog.bundled.names)
  func theEchoIsRemovedForARecognizer(engine: String) async throws {
    let far = try await Voices.far(seconds: 12)
    let echo = try EchoRun(
      EchoRun.scene(lag: 0.06), farEnd: far, engine: EngineCatalog.bundled.engine(named: engine)
    ) { $0.recognizer = .f32(Voices.rate) }
    try echo.run()
    let recognizer = decode(echo.sink.recognizer, .f32(echo.rate))[0]
    let late = 8 * echo.rate.hertz..<11 * echo.rate.hertz
    #expect(level(echo.recording.microphone[late]) - level(recognizer[late]) > 18)
  }

  @Test func muteSilencesEachOutputFromTheSameSampleOn() throws {
    var setup = SessionSetup(microphone: .f32(Self.rate))
    setup.recognizer = .f32(Self.rate)
    setup.raw = .f32(Self.rate)
    let run = try SessionRun(setup)
    let (mute, unmute) = (4_011, 12_007)
    for (id, muted, sample) in [(1, true, mute), (2, false, unmute)] {
      run.session.submit(
        SessionControl(
          id: UInt64(id), atSample: Int64(sample), by: .mediaClient,
          .mute(muted, ifGeneration: nil)), sink: run.sink)
    }
    try run.send(microphone: encode([Signals.noise(16_000)], .f32), in: 160)
    run.finish()
    let delay = Self.rate.samples(in: run.session.delays.processed)
    for output in [run.sink.processed, run.sink.recognizer, run.sink.raw] {
      let samples = decode(output, .f32(Self.rate))[0]
      #expect(samples[(mute + delay)..<(unmute + delay)].allSatisfy { $0 == 0 })
      #expect(samples[(mute + delay - 400)..<(mute + delay - 100)].contains { $0 != 0 })
      #expect(samples[(unmute + delay + 1)...].contains { $0 != 0 })
    }
  }

  @Test func bypassGivesARecognizerTheMicrophone() throws {
    let run = try Self.run(Signals.noise(16_000)) {
      $0.configuration.voiceProcessing.isBypassed = true
    }
    #expect(run.sink.recognizer == run.sink.raw)
    #expect(run.sink.recognizer == run.sink.processed)
  }

  @Test func injectedSpeechIsHeardByARecognizerAndNotInTheRawOutput() throws {
    let setup = ScriptedRun.setup {
      $0.recognizer = .f32(.hz24000)
      $0.raw = .f32(Self.rate)
    }
    let run = try ScriptedRun(setup, engine: EngineCatalog.bundled.defaultEngine)
    try run.send(frames: 10, of: 0)
    try run.permitInjection(by: "bot")
    try run.session.beginInjection("1", by: "bot")
    run.inject(0.25, frames: 20, into: "1")
    run.session.completeInjection("1")
    try run.send(frames: 60, of: 0)
    run.finish()
    let recognizer = decode(run.sink.recognizer, .f32(.hz24000))[0]
    #expect(abs(Double(recognizer.count { $0 > 0.2 }) / 24_000 - 0.2) < 0.01)
    #expect(decode(run.sink.raw, .f32(Self.rate))[0].allSatisfy { $0 == 0 })
  }

  @Test func theOutputsMayBeOpus() throws {
    let run = try Self.run(Signals.babble(16_000, rate: Self.rate)) {
      $0.recognizer = .opus(Self.rate)
      $0.raw = .opus(Self.rate)
      $0.framesPerChunk = 2
    }
    #expect(!run.sink.recognizer.isEmpty && !run.sink.raw.isEmpty)
    let delays = run.session.delays
    #expect(try #require(delays.raw) > delays.processed)
  }

  @Test func anEngineWithoutTheOutputRefusesIt() throws {
    #expect(throws: EngineError.self) {
      _ = try Self.run([], engine: ScriptedEngine.self)
    }
  }
}
