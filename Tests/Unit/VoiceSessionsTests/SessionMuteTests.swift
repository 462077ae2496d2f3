import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// Mute in a session.
struct SessionMuteTests {
  private static let rates: [SampleRate] = [.hz8000, .hz16000, .hz44100, .hz48000]

  @Test func aMuteInsideAFrameTakesEffectAtItsVerySample() throws {
    let run = try ScriptedRun()
    run.mute(true, at: 507)
    run.mute(false, at: 1003)
    try run.send(frames: 20)
    run.finish()
    #expect(run.sink.results.map(\.appliedAtSample) == [507, 1003])
    let changes = run.sink.events.filter {
      if case .muteChanged = $0.kind { true } else { false }
    }
    #expect(changes.map(\.microphoneSample) == [507, 1003])
    let output = run.processed
    let (closed, opened) = (507 + ScriptedRun.latency, 1003 + ScriptedRun.latency)
    #expect(output[ScriptedRun.latency..<(closed - ScriptedRun.ramp)].allSatisfy { $0 == 0.5 })
    let ramp = output[(closed - ScriptedRun.ramp)..<closed]
    #expect(ramp.allSatisfy { $0 >= 0 && $0 < 0.5 })
    #expect(zip(ramp, ramp.dropFirst()).allSatisfy { $0 > $1 })
    #expect(output[closed..<opened].allSatisfy { $0 == 0 })
    #expect(output[opened] > 0)
    #expect(output[(opened + ScriptedRun.ramp)...].allSatisfy { $0 == 0.5 })
  }

  @Test func mutedSoundThatGoesOnInAGapIsNotHeard() throws {
    let run = try ScriptedRun()
    run.mute(true, at: 0)
    run.mute(false, at: 810)
    try run.send(frames: 5)
    try expectSilence(of: run, upToSample: 2400, unmutedAt: 810)
  }

  /// The gap begins where an unmute without a sample was applied, and becomes longer.
  @Test func mutedSoundThatGoesOnInAGapAfterAnUnmuteIsNotHeard() throws {
    let run = try ScriptedRun()
    run.mute(true, at: 0)
    try run.send(frames: 5)
    run.mute(false)
    try run.send([], at: 1600)
    try expectSilence(of: run, upToSample: 2400, unmutedAt: 800)
  }

  /// Sends samples after a gap that ends at a sample, and expects silence up to them.
  private func expectSilence(
    of run: ScriptedRun, upToSample sample: Int, unmutedAt: Int64
  ) throws {
    try run.send([Float](repeating: 0.5, count: 160), at: Int64(sample))
    try run.send(frames: 5)
    run.finish()
    #expect(run.sink.results.map(\.appliedAtSample) == [0, unmutedAt])
    let output = run.processed
    // The first samples after the gap fade in.
    let opened = sample + ScriptedRun.latency + SampleQueue.fadeSamples(at: .hz16000)
    #expect(output[..<opened].allSatisfy { $0 == 0 })
    #expect(output[(opened + ScriptedRun.ramp)...].allSatisfy { $0 == 0.5 })
  }

  @Test(arguments: rates, rates)
  func mutedOutputIsDigitalSilenceAndItsTimelineContinues(
    input: SampleRate, output: SampleRate
  ) throws {
    let setup = SessionSetup(microphone: .f32(input), processed: .f32(output))
    let run = try SessionRun(setup, engine: ScriptedEngine.self)
    let mute = Int64(input.hertz / 4 + 11)
    for (id, muted, sample) in [(1, true, mute), (2, false, 3 * mute)] as [(UInt64, Bool, Int64)] {
      run.session.submit(
        SessionControl(
          id: id, atSample: sample, by: .mediaClient, .mute(muted, ifGeneration: nil)),
        sink: run.sink)
    }
    let count = input.hertz + 77
    try run.send(
      microphone: encode([Signals.noise(count)], .f32), in: 4 * input.samplesPerFrame)
    run.finish()
    let processed = decode(run.sink.processed, .f32(output))[0]
    #expect(processed.count == input.convert(count, to: output))
    let delay = Int(
      (run.session.delays.processed / .seconds(1) * Double(output.hertz)).rounded())
    let closed = input.convert(Int(mute), to: output) + delay
    let opened = input.convert(Int(3 * mute), to: output) + delay
    #expect(processed[(closed + 1)..<(opened - 1)].allSatisfy { $0 == 0 })
    #expect(processed[(delay + 100)..<(closed - output.hertz / 100)].contains { $0 != 0 })
    #expect(processed[(opened + 1)...].contains { $0 != 0 })
    let infos = run.sink.frames
    #expect(infos.first?.isMuted == false && infos.last?.isMuted == false)
    #expect(infos.filter(\.isMuted).count >= (opened - closed) / output.samplesPerFrame)
  }

  @Test func aSessionThatStartsMutedIsSilentFromItsFirstSampleOn() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.startsMuted = true })
    #expect(run.session.state.mute.isMuted && run.session.state.mute.generation == 0)
    try run.send(frames: 10)
    run.mute(false)
    try run.send(frames: 10)
    run.finish()
    #expect(run.processed[..<(1600 + ScriptedRun.latency)].allSatisfy { $0 == 0 })
    #expect(run.processed.last == 0.5)
  }

  @Test func onlyOneOfTwoThatCompareAndSetWins() throws {
    let run = try ScriptedRun()
    try run.send(frames: 2)
    run.control(.mute(true, ifGeneration: 0), by: .headset)
    run.control(.mute(false, ifGeneration: 0))
    run.control(.mute(false, ifGeneration: 1))
    #expect(run.sink.results.map { $0.refusal?.kind } == [nil, .aborted, nil])
    #expect(run.session.state.mute.generation == 2)
    #expect(
      run.sink.kinds.compactMap { kind -> MuteState.Source? in
        if case .muteChanged(let state, _) = kind { state.source } else { nil }
      } == [.controlClient, .mediaClient])
  }

  @Test func muteThatChangesNothingIsAcceptedWithoutAnEvent() throws {
    let run = try ScriptedRun()
    try run.send(frames: 1)
    run.mute(false)
    #expect(run.sink.results.map(\.refusal) == [nil])
    #expect(run.sink.events.isEmpty && run.session.state.mute.generation == 0)
  }

  @Test func everyWayToMuteCausesTheSameStateAndEvent() throws {
    for road in 0..<4 {
      let run = try ScriptedRun()
      try run.send(frames: 1)
      switch road {
      case 0: run.mute(true)
      case 1: run.control(.mute(true, ifGeneration: 0), by: .headset)
      case 2: try run.press("1")
      default:
        run.configure { $0.mute.gesturePolicy = .ask }
        try run.press("1")
        run.control(.gestureDecision(id: "1", accept: true))
      }
      let state = run.session.state.mute
      #expect(state.isMuted && state.generation == 1)
      #expect(run.sink.kinds.contains(.muteChanged(state, mutedSpeechWasActive: false)))
      try run.send(frames: 20)
      #expect(run.processed.suffix(1600).allSatisfy { $0 == 0 })
    }
  }

  /// A change at the beginning of a frame must not overtake a mute later in the frame.
  @Test func changesInOneFrameTakeEffectInTheOrderOfTheirSamples() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.configuration.mute.gesturePolicy = .ask })
    try run.send(frames: 1)
    try run.press("unmute", mutes: false)
    // The gesture times out at sample 8160. The microphone is muted before that frame ends.
    run.mute(true, at: 8160 + 100)
    try run.send(frames: 60)
    run.finish()
    #expect(run.session.state.mute.isMuted)
    #expect(run.processed[(8260 + ScriptedRun.latency)...].allSatisfy { $0 == 0 })
  }
}
