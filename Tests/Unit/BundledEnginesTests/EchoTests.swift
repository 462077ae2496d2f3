import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// The canceller of each engine, with an echo at a good lead.
struct EchoTests {
  static let rate = SampleRate.hz16000
  static let reference = Signals.babble(rate.hertz * 8, rate: rate, seed: 7)
  static let echo = Signals.echo(of: reference, delay: 640, gain: 0.5)
  static let settings = EngineSettings(echoSuppression: .moderate, highPassFilter: true)

  @Test(arguments: Candidate.allWithRates)
  func anEchoIsRemoved(candidate: CandidateRate) throws {
    let rate = candidate.rate
    let reference = Signals.babble(rate.hertz * 5, rate: rate, seed: 7)
    let echo = Signals.echo(of: reference, delay: rate.hertz / 25, gain: 0.5)
    let run = try EngineRun(
      candidate.engine, EngineSettings(echoSuppression: .high), rate: rate, microphone: [echo],
      reference: [reference])
    let reduction = level(echo.suffix(rate.hertz)) - level(run.output[0].suffix(rate.hertz))
    #expect(reduction > 15)
  }

  /// A microphone that is muted by a switch of its own sends digital silence while the far end talks.
  @Test(arguments: Candidate.all, [0, 40])
  func anEchoIsRemovedAfterASilenceOfTheMicrophone(candidate: Candidate, seconds: Int) throws {
    let silence = Signals.silence(seconds * Self.rate.hertz)
    let reference = Signals.babble(silence.count + Self.echo.count, rate: Self.rate, seed: 7)
    let echo = Signals.echo(of: reference, delay: 640, gain: 0.5).dropFirst(silence.count)
    let run = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate, microphone: [silence + echo],
      reference: [reference])
    let tail = Self.rate.hertz
    let reduction = level(echo.suffix(tail)) - level(run.output[0].suffix(tail))
    #expect(reduction > 15)
  }

  /// A noise gate of the microphone's own, which is closed for 0.7 of each second.
  @Test(arguments: Candidate.all)
  func aMicrophoneThatIsMutedAgainAndAgainTeachesNothing(candidate: Candidate) throws {
    var microphone = Self.echo
    var conditions: [Int: EchoConditions] = [:]
    for frame in 200..<700 {
      let isMuted = frame % 100 < 70
      conditions[frame] = EchoConditions(path: .steady, isMicrophoneMuted: isMuted)
      guard isMuted else { continue }
      for sample in frame * 160..<(frame + 1) * 160 { microphone[sample] = 0 }
    }
    let run = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate, microphone: [microphone],
      reference: [Self.reference], path: .steady, conditions: conditions)
    let opened = 700 * 160..<750 * 160
    #expect(level(Self.echo[opened]) - level(run.output[0][opened]) > 15)
  }

  @Test(arguments: Candidate.all)
  func theReductionIsAbsentUntilItIsKnown(candidate: Candidate) throws {
    let run = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate, microphone: [Self.echo],
      reference: [Self.reference])
    #expect(run.findings.prefix(10).allSatisfy { $0.echoReduction == nil })
    let reduction = try #require(run.findings.last?.echoReduction)
    #expect(reduction > 20)
    let silent = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate,
      microphone: [Signals.noise(Self.echo.count)], reference: [Signals.silence(Self.echo.count)])
    #expect(silent.findings.allSatisfy { $0.echoReduction == nil })
    #expect(silent.echoMetrics == EchoMetrics())
  }

  @Test(arguments: Candidate.all)
  func noConditionDisturbsTheCanceller(candidate: Candidate) throws {
    let all = [
      EchoConditions(path: .steady), EchoConditions(path: .unknown),
      EchoConditions(path: .moved(samples: 0)),
      EchoConditions(path: .steady, isMicrophoneConcealed: true),
    ]
    var conditions: [Int: EchoConditions] = [:]
    for frame in 0..<800 { conditions[frame] = all[frame / 100 % all.count] }
    let run = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate, microphone: [Self.echo],
      reference: [Self.reference], conditions: conditions)
    let tail = Self.rate.hertz
    #expect(level(Self.echo.suffix(tail)) - level(run.output[0].suffix(tail)) > 15)
  }

  /// Each condition at any time, with the largest and smallest moves.
  @Test(arguments: Candidate.all)
  func everyConditionLeavesTheOutputFinite(candidate: Candidate) throws {
    let paths: [EchoConditions.Path] = [
      .new, .unknown, .steady, .moved(samples: 1), .moved(samples: -1), .moved(samples: 16_000),
      .moved(samples: -16_000), .moved(samples: .max), .moved(samples: .min),
    ]
    var conditions: [Int: EchoConditions] = [:]
    for frame in 100..<800 {
      conditions[frame] = EchoConditions(
        path: paths[frame % paths.count], isReferenceMissing: frame % 7 == 0,
        isMicrophoneConcealed: frame % 11 == 0)
    }
    let run = try EngineRun(
      candidate.engine, Self.settings, rate: Self.rate, microphone: [Self.echo],
      reference: [Self.reference], conditions: conditions)
    #expect(run.output[0].allSatisfy { $0.isFinite })
    #expect(level(run.output[0]) < level(Self.echo) + 1)
  }
}
