import AudioCore
import Testing
import TestAudio
import VoiceEngines
import WebRTCEngine

/// The latency of each stage alone, compared with the latency that the engine reports.
struct LatencyTests {
  static let stages: [EngineSettings] = [
    EngineSettings(isBypassed: true),
    EngineSettings(),
    EngineSettings(echoSuppression: .low),
    EngineSettings(noiseSuppression: .low),
    EngineSettings(gainTarget: 20),
    EngineSettings(highPassFilter: true),
    EngineSettings(isolatesVoice: true),
    EngineSettings(
      echoSuppression: .moderate, noiseSuppression: .moderate, gainTarget: 3, highPassFilter: true),
  ]

  @Test(arguments: WebRTCVoiceEngine.processingRates, stages)
  func theReportedLatencyIsTheMeasuredOne(rate: SampleRate, settings: EngineSettings) throws {
    let microphone = Signals.babble(rate.hertz * 3 / 2, rate: rate)
    let run = try EngineRun(
      settings, rate: rate, microphone: [microphone],
      reference: [Signals.silence(microphone.count)])
    let tail = rate.hertz * 5 / 4
    let measured = lag(
      of: Array(run.output[0][tail...]), behind: Array(microphone[tail...]),
      limit: rate.hertz / 25)
    #expect(abs(measured - run.latencySamples) <= 1)
  }

  @Test(arguments: WebRTCVoiceEngine.processingRates)
  func bypassedAudioIsUnchangedExceptForTheLatency(rate: SampleRate) throws {
    let microphone = Signals.noise(rate.hertz / 2)
    let run = try EngineRun(EngineSettings(isBypassed: true), rate: rate, microphone: [microphone])
    let kept = microphone.count - run.latencySamples
    #expect(run.output[0].suffix(kept).elementsEqual(microphone.prefix(kept)))
  }
}
