import AudioCore
import Testing
import TestAudio
import VoiceEngines
import WebRTCEngine

/// One test for each switch: it changes the output, also while the engine runs, and causes no
/// click.
struct SwitchTests {
  static let rate = SampleRate.hz16000
  static let all = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate, gainTarget: 3, highPassFilter: true)

  /// The settings before and after each switch.
  static let switches: [(EngineSettings, EngineSettings)] = {
    func change(_ body: (inout EngineSettings) -> Void) -> (EngineSettings, EngineSettings) {
      var changed = all
      body(&changed)
      return (all, changed)
    }
    return [
      change { $0.isBypassed = true },
      change { $0.echoSuppression = nil },
      change { $0.echoSuppression = .low },
      change { $0.echoSuppression = .high },
      change { $0.noiseSuppression = nil },
      change { $0.noiseSuppression = .low },
      change { $0.noiseSuppression = .high },
      change { $0.noiseSuppression = .veryHigh },
      change { $0.gainTarget = nil },
      change { $0.gainTarget = 20 },
      change { $0.highPassFilter = false },
      change { $0.isolatesVoice = true },
    ]
  }()

  /// A near voice, echo, noise and hum, so that every stage has an effect.
  static let reference = Signals.babble(rate.hertz * 3, rate: rate, seed: 7)
  static let microphone: [Float] = {
    let near = Signals.babble(rate.hertz * 3, rate: rate, amplitude: 0.1, seed: 3)
    let echo = Signals.echo(of: reference, delay: 640, gain: 0.3)
    let noise = Signals.noise(near.count, amplitude: 0.01, seed: 5)
    return near.indices.map { index in
      // The near voice has pauses, for effects that occur only in pauses.
      let isTalking = index / (rate.hertz / 2) % 2 == 0
      let hum = 0.02 * Float((index / 160) % 2 == 0 ? 1 : -1)
      return (isTalking ? near[index] : 0) + echo[index] + noise[index] + hum
    }
  }()

  @Test(arguments: switches)
  func aSwitchChangesTheOutputFromItsFrameOn(from: EngineSettings, to: EngineSettings) throws {
    let change = 150
    let kept = try run(from)
    let switched = try run(from, [change: to])
    let boundary = change * Self.rate.samplesPerFrame
    let isSameBefore = kept.prefix(boundary) == switched.prefix(boundary)
    let isSameAfter = kept.dropFirst(boundary) == switched.dropFirst(boundary)
    #expect(isSameBefore && !isSameAfter)
  }

  @Test(arguments: switches)
  func aSwitchIsWithoutAClickBothWays(from: EngineSettings, to: EngineSettings) throws {
    let output = try run(from, [120: to, 180: from])
    let steadyOn = try run(from)
    let steadyOff = try run(to)
    let limit = max(largestStep(steadyOn[...]), largestStep(steadyOff[...])) * 1.1
    for frame in [120, 180] {
      let begin = frame * Self.rate.samplesPerFrame
      #expect(largestStep(output[(begin - 1)..<(begin + 320)]) <= limit)
    }
  }

  @Test(arguments: WebRTCVoiceEngine.processingRates)
  func aStageThatIsSwitchedOnForTheFirstTimeMakesNoHole(rate: SampleRate) throws {
    // A steady tone, and stages that leave the tone unchanged.
    let tone = (0..<rate.hertz).map { Float($0 * 440 % rate.hertz) / Float(rate.hertz) }
      .map { 4 * abs($0 - 0.5) - 1 }.map { $0 * 0.3 }
    let on = EngineSettings(echoSuppression: .low, gainTarget: 31)
    let run = try EngineRun(
      EngineSettings(), rate: rate, microphone: [tone], reference: [Signals.silence(tone.count)],
      changes: [50: on])
    let part = rate.hertz / 200
    let levels = stride(from: rate.hertz * 4 / 10, to: rate.hertz * 7 / 10, by: part).map {
      level(run.output[0][$0..<($0 + part)])
    }
    #expect((levels.max() ?? 0) - (levels.min() ?? 0) < 3)
  }

  @Test func strongerNoiseSuppressionLeavesLessNoise() throws {
    let noise = Signals.noise(Self.rate.hertz * 3, amplitude: 0.05)
    let levels = try EngineSettings.NoiseSuppression.allCases.map { strength in
      let run = try EngineRun(
        EngineSettings(noiseSuppression: strength), rate: Self.rate, microphone: [noise])
      return level(run.output[0].suffix(Self.rate.hertz))
    }
    #expect(levels == levels.sorted(by: >))
    #expect((levels.first ?? 0) - (levels.last ?? 0) > 6)
  }

  @Test func gainControlRaisesASoftVoice() throws {
    let soft = Signals.babble(Self.rate.hertz * 3, rate: Self.rate, amplitude: 0.02)
    let run = try EngineRun(
      EngineSettings(gainTarget: 3), rate: Self.rate, microphone: [soft])
    let tail = Self.rate.hertz
    #expect(level(run.output[0].suffix(tail)) - level(soft.suffix(tail)) > 3)
  }

  private func run(
    _ settings: EngineSettings, _ changes: [Int: EngineSettings] = [:]
  ) throws -> [Float] {
    try EngineRun(
      settings, rate: Self.rate, microphone: [Self.microphone], reference: [Self.reference],
      changes: changes
    ).output[0]
  }

  private func largestStep(_ signal: ArraySlice<Float>) -> Float {
    zip(signal, signal.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }
}
