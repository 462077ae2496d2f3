import AcousticSimulator
import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// A reference from the client, with a lag of any length: the audio and the events.
struct EchoAlignmentTests {
  @Test(arguments: [0, 0.06, 0.25, 0.6, 1])
  func theEchoIsFoundAndGoneFromTheFourthSecondOn(lag: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag), farEnd: try await Voices.far(seconds: 9))
    try run.run()
    #expect(run.reduction(3..<9) > 25, "\(run.reduction(3..<9))")
    let delay = try #require(run.session.statistics.echoDelay)
    #expect(abs(delay / .milliseconds(1) - lag * 1000) < 2, "\(delay)")
    #expect(run.sink.processed.count == run.recording.microphone.count * 4)
  }

  @Test(arguments: [0.02, 0.16, 0.6, 0.95])
  func withDeviceTimesTheEchoGoesInTheSecondSecond(lag: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: lag), farEnd: try await Voices.far(seconds: 6))
    run.tellTimes()
    try run.run()
    #expect(run.reduction(1 + lag..<2 + lag) > 20, "\(run.reduction(1 + lag..<2 + lag))")
    #expect(run.reduction(3..<6) > 25, "\(run.reduction(3..<6))")
    // With device times, the lag is known before any echo.
    #expect(
      run.echoPaths.first.map { $0.at < 0.1 && abs($0.milliseconds - lag * 1000) < 6 } == true)
  }

  /// A canceller that hears a silent microphone would learn that there is no echo.
  @Test(arguments: [0.1, 0.5, 1])
  func soonAfterAGapOfTheMicrophoneTheEchoIsAsFarDownAsBefore(gap: Double) async throws {
    let end = 6 + gap
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) { $0.microphoneGaps = [6..<end] },
      farEnd: try await Voices.far(seconds: end + 4))
    run.tellTimes()
    try run.run()
    #expect(run.reduction(3..<6) > 25, "\(run.reduction(3..<6))")
    // The echo of the reference in the gap was not heard.
    #expect(run.reduction(end + 0.5..<end + 1.5) > 25, "\(run.reduction(end + 0.5..<end + 1.5))")
  }

  /// A microphone that its own switch or noise gate mutes hears the end of that sound when it opens.
  @Test(arguments: [SampleRate.hz16000, .hz48000], [0.2, 0.7])
  func whenAMutedMicrophoneOpensTheEchoIsRemovedAtOnce(rate: SampleRate, mute: Double) throws {
    let openings = stride(from: 5.0, to: 9, by: 1).map { $0 + mute }
    func reductions(_ mutes: [Range<Double>]) throws -> [Float] {
      var scene = EchoScene(rate: rate.hertz)
      (scene.lag, scene.noiseLevel, scene.microphoneMutes) = (0.08, -75, mutes)
      let run = try EchoRun(scene, farEnd: Signals.babble(10 * rate.hertz, rate: rate, seed: 7))
      try run.run()
      return openings.map { run.reduction($0..<$0 + 0.1) }
    }
    let (open, muted) = (try reductions([]), try reductions(openings.map { $0 - mute..<$0 }))
    #expect(zip(muted, open).allSatisfy { $0 > $1 - 3 }, "\(muted) dB instead of \(open) dB")
  }

  /// The microphone may also be silent before the first echo of a sentence.
  @Test func afterSilenceTheFirstSoundIsRemovedAsWell() async throws {
    let speech = try await Voices.far(seconds: 5)
    let sudden = speech.drop { abs($0) < 0.1 }
    let farEnd = speech + [Float](repeating: 0, count: 16000) + sudden
    let run = try EchoRun(
      EchoRun.scene(lag: 0.2) {
        $0.noiseLevel = nil
        $0.converterBits = 16
      }, farEnd: farEnd)
    try run.run()
    #expect(run.excess(6..<8) < -20, "\(run.excess(6..<8))")
  }

  @Test(arguments: [-4_000_000, 0, 9_000_000_000] as [Int64])
  func theDevicesClockMayHaveAnyZero(seconds: Int64) async throws {
    func output(_ zero: Duration) async throws -> (samples: [Float], run: EchoRun) {
      let run = try EchoRun(
        EchoRun.scene(lag: 0.3), farEnd: try await Voices.far(seconds: 3))
      run.tellTimes()
      let (captured, played) = (run.captureTime, run.playbackTime)
      run.captureTime = { captured($0).map { $0 + zero } }
      run.playbackTime = { played($0).map { $0 + zero } }
      try run.run()
      return (run.output, run)
    }
    let usual = try await output(.zero)
    let moved = try await output(.seconds(seconds))
    #expect(abs(usual.run.reduction(1.3..<3) - moved.run.reduction(1.3..<3)) < 1)
    #expect(moved.run.warnings(.unsteadyClocks).isEmpty)
  }

  @Test(arguments: [
    Network.bursts(320), .referenceBursts(80), .referenceBursts(160), .referenceJitter(100),
  ])
  func aReferenceThatIsLateByLessThanTheLagChangesAlmostNothing(network: Network) async throws {
    func run(_ network: Network) async throws -> EchoRun {
      let run = try EchoRun(
        EchoRun.scene(lag: 0.4), farEnd: try await Voices.far(seconds: 9))
      try run.run(network)
      return run
    }
    let (steady, late) = (try await run(.steady), try await run(network))
    #expect(late.reduction(3..<9) > steady.reduction(3..<9) - 2)
    // The frames before the lag was found lack their reference. Later ones do not.
    let missing = late.sink.statistics.map(\.flow.referenceFramesMissing)
    #expect(missing[30...].allSatisfy { $0 == missing[30] }, "\(missing)")
    #expect(late.sink.processed.count == steady.sink.processed.count)
  }

  @Test(arguments: [100.0, -300, 480])
  func aDriftIsFollowedAndMeasured(ppm: Double) async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3) { $0.driftPPM = ppm }, farEnd: try await Voices.far(seconds: 20))
    try run.run()
    #expect(run.reduction(4..<20) > 25, "\(run.reduction(4..<20))")
    // An echo that becomes later and later means a slow reference.
    let drift = try #require(run.session.statistics.driftPPM)
    #expect(abs(drift + ppm) < 20, "\(drift)")
    #expect(run.warnings(.unsteadyClocks).isEmpty)
  }

  @Test func aDriftIsMeasuredByTheDevicesTimes() async throws {
    let run = try EchoRun(
      EchoRun.scene(lag: 0.3) { $0.driftPPM = -200 }, farEnd: try await Voices.far(seconds: 15))
    run.tellTimes()
    try run.run()
    let drift = try #require(run.session.statistics.driftPPM)
    #expect(abs(drift - 200) < 20, "\(drift)")
    #expect(run.reduction(4..<15) > 25, "\(run.reduction(4..<15))")
  }

  /// Also tests references and microphones with another rate than the engine.
  @Test(arguments: [SampleRate.hz8000, .hz24000, .hz44100, .hz48000])
  func aLagIsFoundAtAnyRate(rate: SampleRate) throws {
    for hasTimes in [false, true] {
      let scene = EchoRun.scene(lag: 0.3) { $0.rate = rate.hertz }
      let run = try EchoRun(scene, farEnd: Signals.babble(rate.hertz * 5, rate: rate, seed: 7))
      if hasTimes { run.tellTimes() }
      try run.run()
      #expect(run.reduction(3..<5) > 20, "\(run.reduction(3..<5))")
      let delay = try #require(run.session.statistics.echoDelay)
      #expect(abs(delay / .milliseconds(1) - 300) < 2, "\(delay)")
      #expect(run.warnings(.unsteadyClocks).isEmpty)
      #expect(run.echoPaths.allSatisfy { abs($0.milliseconds - 300) < 6 }, "\(run.echoPaths)")
    }
  }
}
