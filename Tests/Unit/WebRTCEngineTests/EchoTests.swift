import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines
import WebRTCEngine

/// The particular behaviour of libwebrtc-audio-processing's echo canceller.
struct EchoTests {
  private static let rate = SampleRate.hz16000
  private static let seconds = 8
  private static let reference = Signals.babble(rate.hertz * seconds, rate: rate, seed: 7)
  private static let echo = Signals.echo(of: reference, delay: 640, gain: 0.5)

  @Test(arguments: [2, 21] as [UInt32], EngineSettings.EchoSuppression.allCases)
  func aMicrophoneWithOnlyEchoProducesFiniteSamples(
    seed: UInt32, suppression: EngineSettings.EchoSuppression
  ) throws {
    let reference = Signals.noise(Self.rate.hertz * 6, amplitude: 0.05, seed: seed)
    let echo = Signals.echo(of: reference, delay: 640, gain: 0.5)
    let run = try run(suppression, microphone: echo, reference: reference)
    #expect(run.output[0].allSatisfy { $0.isFinite })
    #expect(level(run.output[0].suffix(Self.rate.hertz)) < level(echo) - 10)
  }

  @Test func theLibrarysMetricsAreAbsentUntilTheyAreKnown() throws {
    let early = try run(
      .moderate, microphone: Array(Self.echo.prefix(1600)),
      reference: Array(Self.reference.prefix(1600)))
    #expect(early.echoMetrics == EchoMetrics())
    let late = try run(.moderate, microphone: Self.echo, reference: Self.reference)
    let loss = try #require(late.echoMetrics.echoReturnLoss)
    #expect(abs(loss - 6) < 6)
  }

  @Test func whileSomebodyTalksModerateSuppressionIsNearlyLow() throws {
    // The signal has echo alone first, then a near voice too.
    let talk = Signals.babble(Self.rate.hertz * 4, rate: Self.rate, amplitude: 0.5, seed: 31)
    let near = Signals.silence(Self.echo.count - talk.count) + talk
    let microphone = zip(Self.echo, near).map { $0 + $1 }
    let levels = try EngineSettings.EchoSuppression.allCases.map { suppression in
      let run = try run(suppression, microphone: microphone, reference: Self.reference)
      return level(run.output[0].suffix(Self.rate.hertz * 3))
    }
    let (low, moderate, high) = (levels[0], levels[1], levels[2])
    #expect(low > high + 0.5)
    #expect(low - moderate < moderate - high, "\(levels)")
  }

  private func run(
    _ suppression: EngineSettings.EchoSuppression, microphone: [Float], reference: [Float]
  ) throws -> EngineRun {
    try EngineRun(
      WebRTCVoiceEngine.self,
      EngineSettings(echoSuppression: suppression, highPassFilter: true), rate: Self.rate,
      microphone: [microphone], reference: [reference])
  }
}
