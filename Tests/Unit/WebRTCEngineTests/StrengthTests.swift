import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines
import WebRTCEngine

/// The effect of libwebrtc-audio-processing's noise suppression and gain control on synthetic
/// signals.
struct StrengthTests {
  private static let rate = SampleRate.hz16000

  @Test(arguments: WebRTCVoiceEngine.processingRates)
  func aStageThatIsSwitchedOnForTheFirstTimeMakesNoHole(rate: SampleRate) throws {
    // A steady tone, and stages that leave the tone unchanged.
    let tone = (0..<rate.hertz).map { Float($0 * 440 % rate.hertz) / Float(rate.hertz) }
      .map { 4 * abs($0 - 0.5) - 1 }.map { $0 * 0.3 }
    let on = EngineSettings(echoSuppression: .low, gainTarget: 31)
    let run = try EngineRun(
      WebRTCVoiceEngine.self, EngineSettings(), rate: rate, microphone: [tone],
      reference: [Signals.silence(tone.count)], changes: [50: on])
    let part = rate.hertz / 200
    let levels = stride(from: rate.hertz * 4 / 10, to: rate.hertz * 7 / 10, by: part).map {
      level(run.output[0][$0..<($0 + part)])
    }
    #expect((levels.max() ?? 0) - (levels.min() ?? 0) < 4)
  }

  @Test func strongerNoiseSuppressionLeavesLessNoise() throws {
    let noise = Signals.noise(Self.rate.hertz * 3, amplitude: 0.05)
    let levels = try EngineSettings.NoiseSuppression.allCases.map { strength in
      let run = try EngineRun(
        WebRTCVoiceEngine.self, EngineSettings(noiseSuppression: strength), rate: Self.rate,
        microphone: [noise])
      return level(run.output[0].suffix(Self.rate.hertz))
    }
    #expect(levels == levels.sorted(by: >))
    #expect((levels.first ?? 0) - (levels.last ?? 0) > 6)
  }

  @Test func gainControlRaisesASoftVoice() throws {
    let soft = Signals.babble(Self.rate.hertz * 3, rate: Self.rate, amplitude: 0.02)
    let run = try EngineRun(
      WebRTCVoiceEngine.self, EngineSettings(gainTarget: 3), rate: Self.rate, microphone: [soft])
    let tail = Self.rate.hertz
    #expect(level(run.output[0].suffix(tail)) - level(soft.suffix(tail)) > 3)
  }

  @Test func noiseSuppressionKeepsTheDifferenceBetweenTheChannels() throws {
    let left = Signals.babble(Self.rate.hertz * 2, rate: Self.rate, seed: 11)
    let right = Signals.babble(Self.rate.hertz * 2, rate: Self.rate, amplitude: 0.1, seed: 12)
    let run = try EngineRun(
      WebRTCVoiceEngine.self, EngineSettings(noiseSuppression: .moderate, highPassFilter: true),
      rate: Self.rate, microphone: [left, right])
    let tail = Self.rate.hertz
    let difference = level(run.output[0].suffix(tail)) - level(run.output[1].suffix(tail))
    #expect(abs(difference - (level(left.suffix(tail)) - level(right.suffix(tail)))) < 3)
  }
}
