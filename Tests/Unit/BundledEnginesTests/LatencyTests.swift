import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// The latency of each stage alone, compared with the latency that the engine reports.
struct LatencyTests {
  @Test(arguments: Candidate.allWithRates, EngineSettings.stages)
  func theReportedLatencyIsTheMeasuredOne(
    candidate: CandidateRate, settings: EngineSettings
  ) throws {
    let rate = candidate.rate
    let microphone = Signals.babble(rate.hertz * 3 / 2, rate: rate)
    let tail = rate.hertz * 5 / 4
    for channels in AudioFormat.channelCounts {
      for reference in [nil, [Signals.silence(microphone.count)]] {
        let run = try EngineRun(
          candidate.engine, settings, rate: rate,
          microphone: [[Float]](repeating: microphone, count: channels), reference: reference)
        for output in run.output {
          let measured = lag(
            of: Array(output[tail...]), behind: Array(microphone[tail...]), limit: rate.hertz / 20)
          #expect(abs(measured - run.latencySamples) <= 1, "\(channels) channels")
        }
      }
    }
  }

  @Test(arguments: Candidate.allWithRates)
  func bypassedAudioIsUnchangedExceptForTheLatency(candidate: CandidateRate) throws {
    let microphone = Signals.noise(candidate.rate.hertz / 2)
    let run = try EngineRun(
      candidate.engine, EngineSettings(isBypassed: true), rate: candidate.rate,
      microphone: [microphone])
    let kept = microphone.count - run.latencySamples
    #expect(run.output[0].suffix(kept).elementsEqual(microphone.prefix(kept)))
  }

  @Test(arguments: Candidate.all)
  func theLatencyStaysBelow50Milliseconds(candidate: Candidate) {
    let engine = candidate.engine
    #expect(engine.goodReferenceLeads.contains(engine.bestReferenceLead))
    for rate in engine.processingRates {
      let reference = EngineFormat.Reference(rate: rate, channelCount: 1)
      let alone = engine.latencySamples(EngineFormat(rate: rate, channelCount: 1))
      let both = engine.latencySamples(
        EngineFormat(rate: rate, channelCount: 1, reference: reference))
      #expect(0 <= alone && alone <= both && rate.duration(ofSamples: both) < .milliseconds(50))
    }
  }
}
