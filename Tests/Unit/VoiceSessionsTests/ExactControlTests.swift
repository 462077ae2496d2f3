import AudioCore
import TestAudio
import Testing
import VoiceSessions

/// Changes of the configuration land on their sample: nothing before it is other than without them.
struct ExactControlTests {
  private static let seconds = 2
  private static let voice = zip(
    Signals.vowels(16_000 * seconds, rate: .hz16000, amplitude: 0.2),
    Signals.noise(16_000 * seconds, amplitude: 0.02, seed: 9)
  ).map { $0 + $1 }
  private static let music = Signals.noise(16_000 * seconds, amplitude: 0.1, seed: 3)

  private static let changes: [@Sendable (inout SessionConfiguration) -> Void] = [
    { $0.voiceProcessing.isBypassed = true },
    { $0.voiceProcessing.noiseSuppression = .off },
    { $0.voiceProcessing.gainControl = .off },
    { $0.voiceProcessing.highPassFilter = false },
    { $0.preferredMicMode = .wideSpectrum },
    { $0.preferredMicMode = .voiceIsolation },
  ]

  @Test(arguments: 0..<changes.count, [16_000, 16_001, 16_077, 16_159])
  func theProcessedOutputChangesFromTheSampleOn(change: Int, sample: Int64) throws {
    let kept = try run(SessionSetup(microphone: .f32(.hz16000)), nil, at: sample)
    let changed = try run(
      SessionSetup(microphone: .f32(.hz16000)), Self.changes[change], at: sample)
    let latency = changed.session.delays.processed
    let boundary = Int(sample) + SampleRate.hz16000.samples(in: latency)
    let first = try #require(
      firstDifference(samples(kept.sink.processed), samples(changed.sink.processed)))
    #expect((boundary..<boundary + 320).contains(first), "\(first), \(boundary)")
    #expect(changed.sink.results == [ControlResult(id: 1, appliedAtSample: sample, refusal: nil)])
    #expect(changed.sink.events.contains { $0.microphoneSample == sample })
  }

  @Test(arguments: [24_000, 24_011, 24_479] as [Int64])
  func theRatesOfMicrophoneAndOutputMayDiffer(sample: Int64) throws {
    var setup = SessionSetup(microphone: .f32(.hz48000))
    setup.processed = .f32(.hz16000)
    let voice = Signals.vowels(96_000, rate: .hz48000, amplitude: 0.2)
    func output(_ change: (@Sendable (inout SessionConfiguration) -> Void)?) throws -> [Float] {
      samples(try run(setup, change, at: sample, voice: voice).sink.processed)
    }
    let first = try #require(firstDifference(try output(nil), try output(Self.changes[0])))
    let latency = try SessionRun(setup).session.delays.processed
    let boundary = Int(sample) / 3 + SampleRate.hz16000.samples(in: latency)
    // The converter hears a change up to its latency before.
    #expect(abs(first - boundary) < 80, "\(first), \(boundary)")
  }

  @Test(arguments: [16_000, 16_040, 16_159] as [Int64])
  func duckingChangesFromTheSampleOn(sample: Int64) throws {
    var setup = SessionSetup(microphone: .f32(.hz16000))
    setup.otherAudio = .f32(.hz16000)
    setup.playback = .f32(.hz16000)
    let kept = try run(setup, nil, at: sample)
    let changed = try run(setup, { $0.ducking.level = .max }, at: sample)
    #expect(
      firstDifference(samples(kept.sink.playback), samples(changed.sink.playback)) == Int(sample))
  }

  @Test(arguments: [16_000, 16_040, 16_159] as [Int64])
  func playbackIsClearedFromTheSampleOn(sample: Int64) throws {
    var setup = SessionSetup(microphone: .f32(.hz16000))
    setup.farEnd = .f32(.hz16000)
    setup.playback = .f32(.hz16000)
    let run = try SessionRun(setup)
    run.session.submit(
      SessionControl(id: 1, atSample: sample, by: .mediaClient, .clearPlayback), sink: run.sink)
    try send(Self.voice, with: .farEnd, to: run)
    let heard = samples(run.sink.playback)
    #expect(firstDifference(heard, Self.music) == Int(sample))
    // The next samples arrive 100 ms later.
    #expect(heard[(Int(sample) + 80)..<17_600].allSatisfy { $0 == 0 })
  }

  private func run(
    _ setup: SessionSetup, _ change: (@Sendable (inout SessionConfiguration) -> Void)?,
    at sample: Int64, voice: [Float] = voice
  ) throws -> SessionRun {
    let run = try SessionRun(setup)
    if let change {
      run.session.submit(
        SessionControl(id: 1, atSample: sample, by: .mediaClient, .edit(change)), sink: run.sink)
    }
    try send(voice, with: setup.otherAudio == nil ? nil : .otherAudio, to: run)
    run.finish()
    return run
  }

  /// Sends a voice with music at the same time.
  private func send(_ voice: [Float], with input: InputKind?, to run: SessionRun) throws {
    for start in stride(from: 0, to: voice.count, by: 1600) {
      let samples = start..<min(start + 1600, voice.count)
      if let input { try run.play(encode([Array(Self.music[samples])], .f32), to: input) }
      try run.send(microphone: encode([Array(voice[samples])], .f32))
    }
  }

  private func samples(_ bytes: [UInt8]) -> [Float] {
    bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  private func firstDifference(_ one: [Float], _ other: [Float]) -> Int? {
    zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset
  }
}
