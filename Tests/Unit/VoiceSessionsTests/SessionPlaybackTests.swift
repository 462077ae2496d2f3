import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// The playback: the far end, ducked other audio, chimes and injected speech.
struct SessionPlaybackTests {
  @Test func playbackIsTheFarEndAndDuckedOtherAudio() throws {
    let run = try ScriptedRun()
    try run.send(frames: 20, of: 0, farEnd: 0.3, otherAudio: 0.4)
    let expected = 0.3 + 0.4 * Decibels.factor(-12)
    #expect(run.playback.count == 20 * 160)
    #expect(run.playback.allSatisfy { abs($0 - expected) < 1e-5 })
  }

  @Test func playbackHasAsManySamplesAsTheMicrophone() throws {
    let run = try ScriptedRun()
    try run.send(Signals.noise(1234), farEnd: Signals.noise(320))
    try run.send(Signals.noise(3333))
    run.finish()
    #expect(run.playback.count == 4567 && run.processed.count == 4567)
    // A fade of 5 ms follows the last sample of the far end.
    #expect(run.playback[400...].allSatisfy { $0 == 0 })
  }

  @Test func inputsOfAnyFormatAreConvertedToThePlaybacksFormat() throws {
    let run = try SessionRun(
      ScriptedRun.setup {
        $0.farEnd = .f32(.hz48000, 2)
        $0.otherAudio = .f32(.hz44100)
        $0.playback = .f32(.hz32000, 2)
      }, engine: ScriptedEngine.self)
    func constant(_ count: Int, _ channels: Int) -> [UInt8] {
      encode([[Float]](repeating: [Float](repeating: 0.25, count: count), count: channels), .f32)
    }
    for _ in 0..<50 {
      try run.play(constant(480, 2), to: .farEnd)
      try run.play(constant(441, 1), to: .otherAudio)
      try run.send(microphone: constant(160, 1))
    }
    let playback = decode(run.sink.playback, .f32(.hz32000, 2))
    let expected = 0.25 + 0.25 * Decibels.factor(-12)
    for plane in playback {
      #expect(plane.count == 50 * 320)
      #expect(plane.suffix(8000).allSatisfy { abs($0 - expected) < 0.001 })
    }
  }

  @Test func advancedDuckingFollowsEitherSideAndIsReported() throws {
    let run = try ScriptedRun(
      ScriptedRun.setup {
        $0.configuration.ducking.isAdvanced = true
        $0.configuration.ducking.level = .max
      })
    func gain() -> Float {
      Decibels.level(meanSquare: (run.playback.last ?? 0) * (run.playback.last ?? 0))
    }
    try run.send(frames: 30, of: 0, otherAudio: 1)
    #expect(abs(gain() + 10) < 0.1)
    try run.send(frames: 30, of: 0.5, otherAudio: 1)
    #expect(abs(gain() + 30) < 0.1)
    #expect(run.session.statistics.duckingGain == -30)
    try run.send(frames: 200, of: 0, otherAudio: 1)
    #expect(abs(gain() + 10) < 0.1)
    // The far end is too quiet to matter in the mix, but loud enough to count as voice.
    try run.send(frames: 30, of: 0, farEnd: 0.06, otherAudio: 1)
    #expect(abs((run.playback.last ?? 0) - 0.06 - Decibels.factor(-30)) < 0.001)
    #expect(
      run.kinds { if case .duckingChanged = $0 { true } else { false } } == [
        .duckingChanged(gain: -30, talking: .nearEnd), .duckingChanged(gain: -10, talking: nil),
        .duckingChanged(gain: -30, talking: .farEnd),
      ])
  }

  @Test func theDuckingLevelChangesLiveAndWithoutAClick() throws {
    let run = try ScriptedRun()
    try run.send(frames: 10, of: 0, otherAudio: 1)
    run.configure { $0.ducking.level = .max }
    try run.send(frames: 20, of: 0, otherAudio: 1)
    run.configure { $0.ducking.level = .min }
    try run.send(frames: 120, of: 0, otherAudio: 1)
    let playback = run.playback
    #expect(abs(playback[29 * 160] - Decibels.factor(-30)) < 0.001)
    #expect(abs((playback.last ?? 0) - Decibels.factor(-4)) < 0.001)
    #expect(zip(playback, playback.dropFirst()).allSatisfy { abs($0 - $1) < 0.002 })
  }

  @Test func clearedPlaybackFadesAndForgets() throws {
    let run = try ScriptedRun()
    let second = [Float](repeating: 0.5, count: 16000)
    try run.send(Signals.silence(1600), farEnd: second, otherAudio: second)
    run.control(.clearPlayback)
    try run.send(Signals.silence(3200))
    try run.send(Signals.silence(160), farEnd: [Float](repeating: 0.25, count: 160))
    let playback = run.playback
    #expect(run.sink.results.map(\.refusal) == [nil])
    #expect(zip(playback[1599..<1680], playback[1600..<1681]).allSatisfy { abs($0 - $1) < 0.02 })
    #expect(playback[1680..<4800].allSatisfy { $0 == 0 })
    // The next audio fades in over 5 ms.
    #expect(
      zip(playback[4799...], playback[4800...]).allSatisfy { $1 - $0 >= 0 && $1 - $0 < 0.004 })
    #expect(playback[4880...].allSatisfy { $0 == 0.25 })
  }

  @Test func clearingIsRefusedWithoutPlayback() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.playback = nil })
    run.control(.clearPlayback)
    #expect(run.sink.results.first?.refusal?.reason == "NO_PLAYBACK")
  }

  @Test func theSumIsLimitedAndNeverClipped() throws {
    let run = try ScriptedRun(ScriptedRun.setup { $0.configuration.ducking.level = .min })
    let loud = Signals.noise(16000, amplitude: 1, seed: 5)
    try run.send(Signals.silence(16000), farEnd: loud, otherAudio: loud)
    // Two in five samples of the sum exceed full scale. If they were clipped, all of them would be
    // at full scale.
    #expect(run.playback.filter { abs($0) >= 1 }.count < 1000)
    #expect((run.playback.map { abs($0) }.max() ?? 0) > 0.99)
  }

  /// Without a reference input, the session's own mix is the reference.
  @Test(arguments: [SampleRate.hz16000, .hz48000])
  func theSessionsOwnPlaybackIsTheEchoReference(rate: SampleRate) throws {
    var setup = SessionSetup(microphone: .f32(rate))
    setup.farEnd = .f32(rate)
    setup.otherAudio = .f32(rate)
    setup.playback = .f32(rate)
    setup.configuration.voiceProcessing.noiseSuppression = .off
    setup.configuration.voiceProcessing.gainControl = .off
    let count = rate.hertz * 6
    let farEnd = Signals.babble(count, rate: rate, seed: 21)
    let music = Signals.noise(count, amplitude: 0.2, seed: 22)
    let run = try SessionRun(setup)
    let delay = rate.hertz / 25
    var heard: [Float] = Signals.silence(delay)
    var echo: [Float] = []
    let size = rate.samplesPerFrame
    for first in stride(from: 0, to: count, by: size) {
      let frame = first..<(first + size)
      try run.play(encode([Array(farEnd[frame])], .f32), to: .farEnd)
      try run.play(encode([Array(music[frame])], .f32), to: .otherAudio)
      // The room returns the playback of 40 ms ago at half its level.
      let microphone = heard[frame].map { $0 / 2 }
      echo += microphone
      let played = run.sink.playback.count
      try run.send(microphone: encode([microphone], .f32))
      heard += decode(Array(run.sink.playback[played...]), .f32(rate))[0]
    }
    let processed = decode(run.sink.processed, .f32(rate))[0]
    let reduction = level(echo.suffix(2 * rate.hertz)) - level(processed.suffix(2 * rate.hertz))
    #expect(reduction > 15)
    #expect(!run.sink.kinds.contains(.captureWarning(.noReference, isActive: true)))
  }
}
