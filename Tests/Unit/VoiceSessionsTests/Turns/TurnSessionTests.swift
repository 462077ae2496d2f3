import AudioCore
import BundledEngines
import TestAudio
import Testing
import VoiceEngines

@testable import VoiceSessions

/// Turns of sessions with real engines and spoken voices.
struct TurnSessionTests {
  private static let engines = EngineCatalog.bundled.engines.map { $0.identity.name }
  private static let quiet = [Float](repeating: 0, count: 48_000)

  private static func setup(
    _ rate: SampleRate = .hz16000, _ change: (inout SessionSetup) -> Void = { _ in }
  ) -> SessionSetup {
    var setup = SessionSetup(microphone: .f32(rate))
    setup.configuration.turns.isEnabled = true
    change(&setup)
    return setup
  }

  private static func turns(_ run: SessionRun) -> [TurnEvent] {
    run.sink.kinds.compactMap { kind in
      if case .turn(let event) = kind { event } else { nil }
    }
  }

  private func run(
    _ setup: SessionSetup, engine: String = "", _ samples: [Float],
    before: (SessionRun) -> Void = { _ in }
  ) throws -> SessionRun {
    let run = try SessionRun(setup, engine: EngineCatalog.bundled.engine(named: engine))
    before(run)
    try run.send(
      microphone: encode([samples], .f32), in: setup.microphone.rate.samplesPerFrame)
    run.finish()
    return run
  }

  @Test(arguments: engines)
  func aSpokenSentenceIsATurn(engine: String) async throws {
    let voice = try await Voices.near(after: 1) + Self.quiet
    let run = try run(Self.setup(), engine: engine, voice)
    let events = Self.turns(run)
    guard case .started(let begin, let probability) = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(abs(begin - 16_000) < 3200 && probability > 0)
    guard case .ended(let end, _) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(end > begin && end <= Int64(voice.count) - 24_000)
    #expect(!run.session.state.isTurnActive)
  }

  @Test func theStartIsSentSoonAfterTheVoiceBegins() async throws {
    let run = try run(Self.setup(), try await Voices.near(after: 1))
    let event = try #require(
      run.sink.events.first { if case .turn(.started) = $0.kind { true } else { false } })
    guard case .turn(.started(let begin, _)) = event.kind else { return }
    #expect(event.microphoneSample - begin <= 16 * 120)
    #expect(run.session.state.isTurnActive || Self.turns(run).count > 1)
  }

  @Test func noTurnIsReportedUnlessItIsAskedFor() async throws {
    let run = try run(SessionSetup(microphone: .f32(.hz16000)), try await Voices.near(after: 1))
    #expect(Self.turns(run).isEmpty)
  }

  /// A far end that sends the noise of a quiet room does not talk.
  @Test func besideASilentFarEndATurnIsNoInterruption() async throws {
    let voice = try await Voices.near(after: 1) + Self.quiet
    let hiss = Signals.noise(voice.count, amplitude: 1e-4)
    let setup = Self.setup { ($0.farEnd, $0.playback) = (.f32(.hz16000), .f32(.hz16000)) }
    let run = try SessionRun(setup, engine: EngineCatalog.bundled.engine(named: ""))
    for start in stride(from: 0, to: voice.count - 160, by: 160) {
      try run.play(encode([Array(hiss[start..<start + 160])], .f32), to: .farEnd)
      try run.send(microphone: encode([Array(voice[start..<start + 160])], .f32))
    }
    run.finish()
    let events = Self.turns(run)
    #expect(
      !events.isEmpty
        && events.allSatisfy { if case .interruption = $0 { false } else { true } }, "\(events)")
  }

  @Test func theMuteChangesNoTurn() async throws {
    let voice = try await Voices.near(after: 1) + Self.quiet
    let open = try run(Self.setup(), voice)
    let muted = try run(Self.setup { $0.startsMuted = true }, voice)
    #expect(Self.turns(muted) == Self.turns(open) && !Self.turns(open).isEmpty)
  }

  @Test func theSameInputHasTheSameTurns() async throws {
    let voice = try await Voices.near(after: 1) + Self.quiet
    #expect(Self.turns(try run(Self.setup(), voice)) == Self.turns(try run(Self.setup(), voice)))
  }

  @Test func aTurnEndsWhenItsDetectionIsSwitchedOff() async throws {
    let voice = Array(try await Voices.near(after: 0).prefix(16_000))
    let run = try SessionRun(Self.setup(), engine: EngineCatalog.bundled.engine(named: ""))
    try run.send(microphone: encode([voice], .f32), in: 160)
    #expect(run.session.state.isTurnActive)
    for _ in 0..<2 { run.session.microphoneStopped(sink: run.sink) }
    let ends = Self.turns(run).filter { if case .ended(_, 0) = $0 { true } else { false } }
    #expect(ends.count == 1 && !run.session.state.isTurnActive)
  }

  @Test(arguments: [SampleRate.hz8000, .hz48000])
  func turnsAreFoundAtOtherRates(rate: SampleRate) async throws {
    let voice = try await Voices.near(after: 1) + Self.quiet
    let factor = Double(rate.hertz) / 16_000
    let samples = (0..<Int(Double(voice.count) * factor)).map { index in
      let place = Double(index) / factor
      let (left, share) = (Int(place), Float(place - place.rounded(.down)))
      return voice[left] + share * (voice[min(left + 1, voice.count - 1)] - voice[left])
    }
    let events = Self.turns(try run(Self.setup(rate), samples))
    guard case .started(let begin, _) = events.first, case .ended = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(abs(Double(begin) / factor - 16_000) < 3200)
  }
}
