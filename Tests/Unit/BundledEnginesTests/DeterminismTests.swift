import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// The output of an engine depends only on its input and its settings.
struct DeterminismTests {
  @Test(arguments: Candidate.all)
  func theSameInputGivesTheSameBitsWhileOtherEnginesAreMade(candidate: Candidate) async throws {
    @Sendable func output() throws -> [Float] {
      try EngineRun(
        candidate.engine, .standard, rate: SwitchTests.rate, microphone: [Scene.microphone],
        reference: [Scene.reference]
      ).output[0]
    }
    let expected = try output()
    let isSame = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { try output() == expected } }
      group.addTask {
        let reference = EngineFormat.Reference(rate: SwitchTests.rate, channelCount: 1)
        let format = EngineFormat(rate: SwitchTests.rate, channelCount: 1, reference: reference)
        for _ in 0..<300 { _ = try candidate.engine.init(format: format, settings: .standard) }
        return true
      }
      return try await group.allSatisfy { $0 }
    }
    #expect(isSame)
  }

  @Test(arguments: Candidate.allWithRates)
  func theSameChangesGiveTheSameBitsAndFindings(candidate: CandidateRate) throws {
    let rate = candidate.rate
    let microphone = Signals.babble(rate.hertz, rate: rate)
    let reference = Signals.babble(rate.hertz, rate: rate, seed: 7)
    func run() throws -> EngineRun {
      try EngineRun(
        candidate.engine, .standard, rate: rate, microphone: [microphone], reference: [reference],
        changes: [30: EngineSettings(isBypassed: true), 50: EngineSettings(isolatesVoice: true)],
        conditions: [20: EchoConditions(path: .new), 60: EchoConditions(path: .moved(samples: 40))])
    }
    let (one, other) = (try run(), try run())
    #expect(one.output == other.output && one.findings == other.findings)
    #expect(one.echoMetrics == other.echoMetrics)
  }

  @Test(arguments: Candidate.all)
  func everyProbabilityIsFrom0To1(candidate: Candidate) throws {
    let run = try EngineRun(
      candidate.engine, .standard, rate: SwitchTests.rate, microphone: [Scene.microphone],
      reference: [Scene.reference])
    for finding in run.findings {
      let probabilities = [
        finding.speechProbability, finding.nearEndProbability, finding.residualEcho,
      ].compactMap { $0 }
      #expect(probabilities.allSatisfy { (0...1).contains($0) })
      #expect(finding.echoReduction?.isFinite ?? true)
    }
  }
}
