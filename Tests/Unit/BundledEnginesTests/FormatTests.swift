import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// The formats that each engine has to support.
struct FormatTests {
  @Test(arguments: Candidate.all)
  func everyRateOfASessionCanBeProcessedWithoutLoss(candidate: Candidate) {
    let rates = candidate.engine.processingRates
    #expect(SampleRate.allCases.allSatisfy { rate in rates.contains { $0 >= rate } })
    #expect(Set(rates).count == rates.count)
  }

  @Test(arguments: Candidate.allWithRates)
  func everyNumberOfChannelsIsProcessed(candidate: CandidateRate) throws {
    let rate = candidate.rate
    let format = EngineFormat(rate: rate, channelCount: 1)
    let isSupported = candidate.engine.supports(.standard, format)
    #expect(isSupported)
    let count = rate.hertz / 2
    for channelCount in AudioFormat.channelCounts {
      for referenceChannelCount in AudioFormat.channelCounts {
        let run = try EngineRun(
          candidate.engine, .standard, rate: rate,
          microphone: (0..<channelCount).map {
            Signals.babble(count, rate: rate, seed: UInt32($0 + 1))
          },
          reference: (0..<referenceChannelCount).map {
            Signals.babble(count, rate: rate, seed: UInt32($0 + 7))
          })
        #expect(run.output.count == channelCount)
        for plane in run.output {
          #expect(plane.count == count && plane.allSatisfy { $0.isFinite })
        }
      }
    }
  }

  @Test(arguments: Candidate.allWithRates)
  func theReferenceMayHaveAnotherRate(candidate: CandidateRate) throws {
    let rate = candidate.rate
    let count = rate.hertz / 2
    for other in SampleRate.allCases {
      let run = try EngineRun(
        candidate.engine, .standard, rate: rate, microphone: [Signals.babble(count, rate: rate)],
        reference: [Signals.babble(other.hertz / 2, rate: other, seed: 7)], referenceRate: other)
      #expect(run.output[0].allSatisfy { $0.isFinite })
    }
  }

  @Test(arguments: Candidate.all)
  func anUnknownRateIsRefused(candidate: Candidate) {
    for rate in SampleRate.allCases where !candidate.engine.processingRates.contains(rate) {
      #expect(throws: EngineError.self) {
        try candidate.engine.init(
          format: EngineFormat(rate: rate, channelCount: 1), settings: EngineSettings())
      }
    }
  }

  @Test(arguments: Candidate.allWithRates)
  func stereoStaysStereo(candidate: CandidateRate) throws {
    let rate = candidate.rate
    let left = Signals.babble(rate.hertz * 2, rate: rate, seed: 11)
    let right = Signals.babble(rate.hertz * 2, rate: rate, amplitude: 0.1, seed: 12)
    let run = try EngineRun(
      candidate.engine, EngineSettings(gainTarget: 3, highPassFilter: true), rate: rate,
      microphone: [left, right])
    let tail = rate.hertz
    let difference = level(run.output[0].suffix(tail)) - level(run.output[1].suffix(tail))
    #expect(abs(difference - (level(left.suffix(tail)) - level(right.suffix(tail)))) < 3)
  }

  @Test(arguments: Candidate.allWithRates)
  func aDetectorHearsNoVoiceInSilence(candidate: CandidateRate) throws {
    let detector = try candidate.engine.makeSpeechDetector(rate: candidate.rate)
    let frame = Frame(rate: candidate.rate, channelCount: 1)
    var voices = 0
    for _ in 0..<200 { voices += detector.hasVoice(frame) ? 1 : 0 }
    #expect(voices == 0)
  }
}
