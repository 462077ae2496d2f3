import AcousticSimulator
import AudioCore
import EchoAlignment
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct DelayEstimatorTests {
  private static let rate = SampleRate.hz16000
  private static let speech = Signals.babble(rate.hertz * 4, rate: rate, seed: 7)

  @Test(arguments: [0, 0.02, 0.128, 0.3, 0.9996])
  func aLagIsFoundInARoom(lag: Double) throws {
    let estimate = try #require(try estimate { $0.lag = lag })
    #expect(abs(estimate.delay.inMilliseconds - lag * 1000) < 0.5)
    #expect(estimate.confidence > 0.5)
  }

  @Test(arguments: Room.allCases.indices)
  func aLagIsFoundInEveryRoomWithNoise(room: Int) throws {
    let estimate = try #require(
      try estimate {
        $0.lag = 0.2
        $0.room = Room.allCases[room]
        $0.noiseLevel = -45
      })
    #expect(abs(estimate.delay.inMilliseconds - 200) < 0.5)
  }

  @Test func theEchoOfADistantLoudspeakerIsFoundWithin2Seconds() throws {
    let speech = Signals.babble(2 * Self.rate.hertz, rate: Self.rate, seed: 7)
    var scene = EchoScene(rate: Self.rate.hertz)
    (scene.room, scene.lag) = (.farAcrossTheHall, 0.2)
    let recording = scene.record(farEnd: speech)
    let estimate = try #require(try estimate(recording.microphone, recording.reference))
    #expect((195..<230).contains(estimate.delay.inMilliseconds))
  }

  @Test func someoneWhoTalksAllTheTimeDoesNotHideTheEcho() throws {
    let near = chatter(Self.speech.count, seed: 99)
    let estimate = try #require(try estimate(near: near) { $0.lag = 0.2 })
    #expect(abs(estimate.delay.inMilliseconds - 200) < 0.5)
  }

  @Test(arguments: SampleRate.allCases)
  func theLagIsFoundAtEveryRate(rate: SampleRate) throws {
    let speech = Signals.babble(rate.hertz * 3, rate: rate, seed: 5)
    let echo = Signals.echo(of: speech, delay: rate.hertz / 5, gain: 0.5)
    let estimate = try #require(try estimate(echo, speech, rate))
    #expect(abs(estimate.delay.inMilliseconds - 200) < 0.5)
  }

  @Test func anEchoOfTurnedPolarityIsFoundAsWell() throws {
    let echo = Signals.echo(of: Self.speech, delay: 3200, gain: -0.5)
    let estimate = try #require(try estimate(echo, Self.speech))
    #expect(abs(estimate.delay.inMilliseconds - 200) < 0.5)
  }

  @Test func theSameSignalTwiceHasNoLag() throws {
    let estimate = try #require(try estimate(Self.speech, Self.speech))
    #expect(estimate.delay < .microseconds(100))
  }

  @Test func silenceHasNoLag() throws {
    let silence = Signals.silence(Self.speech.count)
    #expect(try estimate(silence, silence) == nil)
    #expect(try estimate(silence, Self.speech) == nil)
    #expect(try estimate(Self.speech, silence) == nil)
  }

  @Test func unrelatedSignalsHaveNoLag() throws {
    #expect(try estimate(chatter(Self.speech.count, seed: 5), Self.speech) == nil)
    #expect(try estimate(Self.speech, chatter(Self.speech.count, seed: 6)) == nil)
  }

  @Test(arguments: [50, 440, 1000] as [Float])
  func aToneHasNoLag(hertz: Float) throws {
    func tone(_ delay: Int) -> [Float] {
      (0..<Self.speech.count).map { index -> Float in
        let fadeIn = min(1, Float(index) / 8000)
        return 0.3 * fadeIn * sinf(2 * .pi * hertz * Float(index - delay) / 16_000)
      }
    }
    #expect(try estimate(tone(3200), tone(0)) == nil)
  }

  @Test func aRepeatingSignalLeavesAKnownLagUnchanged() throws {
    let bar = Signals.noise(Self.rate.hertz / 5, amplitude: 0.2, seed: 3)
    let reference = Self.speech + (0..<20).flatMap { _ in bar }
    let estimate = try #require(
      try estimate(Signals.echo(of: reference, delay: 8000, gain: 0.5), reference))
    #expect(abs(estimate.delay.inMilliseconds - 500) < 0.5)
  }

  @Test func aSignalThatRepeatsItselfFromTheBeginningHasNoWrongLag() throws {
    let bar = Signals.noise(Self.rate.hertz / 5, amplitude: 0.2, seed: 3)
    let reference = (0..<40).flatMap { _ in bar }
    let echo = Signals.echo(of: reference, delay: 8000, gain: 0.5)
    // Only the first bar can be told from the others.
    if let estimate = try estimate(echo, reference) {
      #expect(abs(estimate.delay.inMilliseconds - 500) < 0.5)
    }
  }

  @Test func whileTheFarEndIsSilentTheEstimateStaysWhereItIs() throws {
    var estimator = try DelayEstimator(microphone: Self.rate, reference: Self.rate)
    let echo = Signals.echo(of: Self.speech, delay: 3200, gain: 0.5)
    forEachFrame(echo, Self.speech, Self.rate) {
      estimator.append(reference: $1)
      estimator.append(microphone: $0)
    }
    let before = try found(estimator.estimate)
    let talk = chatter(Self.speech.count, seed: 55)
    forEachFrame(talk, Signals.silence(talk.count), Self.rate) {
      estimator.append(reference: $1)
      estimator.append(microphone: $0)
    }
    let after = try found(estimator.estimate)
    #expect(abs((after.delay - before.delay).inMilliseconds) < 0.1)
  }

  /// A reset comes within a block of 128 ms, the first part of which has the former echo.
  @Test(arguments: 200..<213)
  func aResetForgetsTheFormerEcho(frame: Int) throws {
    var estimator = try DelayEstimator(microphone: Self.rate, reference: Self.rate)
    let former = Signals.echo(of: Self.speech, delay: 3200, gain: 0.5)
    let echo = Signals.echo(of: Self.speech, delay: 640, gain: 0.5)
    let change = frame * Self.rate.samplesPerFrame
    var (index, found): (Int, DelayEstimator.Estimate?) = (0, nil)
    forEachFrame(former.prefix(change) + Array(echo[change...]), Self.speech, Self.rate) {
      if index == frame { estimator.reset() }
      index += 1
      estimator.append(reference: $1)
      estimator.append(microphone: $0)
      if index > frame { found = found ?? estimator.estimate }
    }
    let delay = try #require(found?.delay)
    #expect(abs(delay.inMilliseconds - 40) < 0.5)
  }

  @Test func invalidSamplesAreForgotten() throws {
    var estimator = try DelayEstimator(microphone: Self.rate, reference: Self.rate)
    let echo = Signals.echo(of: Self.speech, delay: 3200, gain: 0.5)
    var broken = echo
    broken[5000] = .nan
    broken[9000] = .infinity
    forEachFrame(broken + echo, Self.speech + Self.speech, Self.rate) {
      estimator.append(reference: $1)
      estimator.append(microphone: $0)
    }
    let estimate = try found(estimator.estimate)
    #expect(abs(estimate.delay.inMilliseconds - 200) < 0.5)
  }

  private func estimate(
    near: [Float] = [], _ change: (inout EchoScene) -> Void
  ) throws -> DelayEstimator.Estimate? {
    var scene = EchoScene(rate: Self.rate.hertz)
    change(&scene)
    let recording = scene.record(farEnd: Self.speech, near: near)
    return try estimate(recording.microphone, recording.reference)
  }

  private func estimate(
    _ microphone: [Float], _ reference: [Float], _ rate: SampleRate = rate
  ) throws -> DelayEstimator.Estimate? {
    var estimator = try DelayEstimator(microphone: rate, reference: rate)
    forEachFrame(microphone, reference, rate) {
      estimator.append(reference: $1)
      estimator.append(microphone: $0)
    }
    return estimator.estimate
  }
}
