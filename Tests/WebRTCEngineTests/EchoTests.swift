import AudioCore
import Testing
import TestAudio
import VoiceEngines
import WebRTCEngine

struct EchoTests {
  private static let rate = SampleRate.hz16000
  private static let seconds = 8
  private static let reference = Signals.babble(rate.hertz * seconds, rate: rate, seed: 7)
  private static let echo = Signals.echo(of: reference, delay: 640, gain: 0.5)
  private static let settings = EngineSettings(echoSuppression: .moderate, highPassFilter: true)

  @Test(arguments: [SampleRate.hz8000, .hz16000, .hz32000, .hz48000])
  func anEchoIsRemoved(rate: SampleRate) throws {
    let reference = Signals.babble(rate.hertz * 5, rate: rate, seed: 7)
    let echo = Signals.echo(of: reference, delay: rate.hertz / 25, gain: 0.5)
    let run = try EngineRun(
      EngineSettings(echoSuppression: .high), rate: rate, microphone: [echo],
      reference: [reference])
    let reduction = level(echo.suffix(rate.hertz)) - level(run.output[0].suffix(rate.hertz))
    #expect(reduction > 15)
  }

  @Test func theLearnedPathSurvivesATimeSwitchedOff() throws {
    var off = Self.settings
    off.echoSuppression = nil
    let run = try EngineRun(
      Self.settings, rate: Self.rate, microphone: [Self.echo], reference: [Self.reference],
      changes: [500: off, 600: Self.settings])
    let second = Self.rate.hertz
    let switchedOff = run.output[0][(5 * second + second / 10)..<(6 * second)]
    let onAgain = run.output[0][(6 * second + second / 50)..<(6 * second + second / 2)]
    #expect(level(switchedOff) > level(Self.echo) - 3)
    #expect(level(onAgain) < level(Self.echo) - 15)
  }

  @Test(arguments: [2, 21] as [UInt32], EngineSettings.EchoSuppression.allCases)
  func aMicrophoneWithOnlyEchoProducesFiniteSamples(
    seed: UInt32, suppression: EngineSettings.EchoSuppression
  ) throws {
    let reference = Signals.noise(Self.rate.hertz * 6, amplitude: 0.05, seed: seed)
    let echo = Signals.echo(of: reference, delay: 640, gain: 0.5)
    let settings = EngineSettings(echoSuppression: suppression, highPassFilter: true)
    let run = try EngineRun(
      settings, rate: Self.rate, microphone: [echo], reference: [reference])
    #expect(run.output[0].allSatisfy { $0.isFinite })
    #expect(level(run.output[0].suffix(Self.rate.hertz)) < level(echo) - 10)
  }

  @Test func metricsAreAbsentUntilTheyAreKnown() throws {
    let early = try EngineRun(
      Self.settings, rate: Self.rate, microphone: [Array(Self.echo.prefix(1600))],
      reference: [Array(Self.reference.prefix(1600))])
    #expect(early.echoMetrics == EchoMetrics())
    let late = try EngineRun(
      Self.settings, rate: Self.rate, microphone: [Self.echo], reference: [Self.reference])
    let loss = try #require(late.echoMetrics.echoReturnLoss)
    #expect(abs(loss - 6) < 6)
    #expect(early.findings.allSatisfy { $0.echoReduction == nil })
    let reduction = try #require(late.findings.last?.echoReduction)
    #expect(reduction > 20)
  }

  @Test func theSameInputGivesTheSameBitsWhileOtherEnginesAreMade() async throws {
    @Sendable func output() throws -> [Float] {
      try EngineRun(
        SwitchTests.all, rate: Self.rate, microphone: [SwitchTests.microphone],
        reference: [SwitchTests.reference]
      ).output[0]
    }
    let expected = try output()
    let isSame = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try output() == expected } }
      group.addTask {
        let format = EngineFormat(
          rate: Self.rate, channelCount: 1, reference: .init(rate: Self.rate, channelCount: 1))
        for _ in 0..<300 { _ = try WebRTCVoiceEngine(format: format, settings: SwitchTests.all) }
        return true
      }
      return try await group.allSatisfy { $0 }
    }
    #expect(isSame)
  }

  @Test func whileSomebodyTalksModerateSuppressionIsNearlyLow() throws {
    // The signal has echo alone first, then a near voice too.
    let talk = Signals.babble(Self.rate.hertz * 4, rate: Self.rate, amplitude: 0.5, seed: 31)
    let near = Signals.silence(Self.echo.count - talk.count) + talk
    let microphone = zip(Self.echo, near).map { $0 + $1 }
    let levels = try EngineSettings.EchoSuppression.allCases.map { suppression in
      let run = try EngineRun(
        EngineSettings(echoSuppression: suppression, highPassFilter: true), rate: Self.rate,
        microphone: [microphone], reference: [Self.reference])
      return level(run.output[0].suffix(Self.rate.hertz * 3))
    }
    let (low, moderate, high) = (levels[0], levels[1], levels[2])
    #expect(low > high + 0.5)
    #expect(low - moderate < moderate - high, "\(levels)")
  }

  @Test func stereoStaysStereo() throws {
    let left = Signals.babble(Self.rate.hertz * 2, rate: Self.rate, seed: 11)
    let right = Signals.babble(Self.rate.hertz * 2, rate: Self.rate, amplitude: 0.1, seed: 12)
    let run = try EngineRun(
      EngineSettings(noiseSuppression: .moderate, highPassFilter: true), rate: Self.rate,
      microphone: [left, right])
    let tail = Self.rate.hertz
    let difference = level(run.output[0].suffix(tail)) - level(run.output[1].suffix(tail))
    #expect(abs(difference - (level(left.suffix(tail)) - level(right.suffix(tail)))) < 3)
  }

  @Test func anEngineRefusesARateItDoesNotKnow() {
    #expect(throws: EngineError.self) {
      try WebRTCVoiceEngine(
        format: EngineFormat(rate: .hz44100, channelCount: 1), settings: EngineSettings())
    }
  }
}
