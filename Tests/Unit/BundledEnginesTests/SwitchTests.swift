import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// Changes of the settings while an engine runs.
struct SwitchTests {
  static let rate = SampleRate.hz16000
  private static let format = EngineFormat(
    rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1))

  /// The settings after each switch. Before, they are those of the standard mic mode.
  static let switches: [EngineSettings] = {
    func change(_ body: (inout EngineSettings) -> Void) -> EngineSettings {
      var changed = EngineSettings.standard
      body(&changed)
      return changed
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

  @Test(arguments: Candidate.all, switches)
  func aSwitchChangesTheOutputFromItsSampleOn(
    candidate: Candidate, settings: EngineSettings
  ) throws {
    let change = 150
    let kept = try run(candidate, .standard)
    for samples in [0, 1, 37, 60, 121, 159, 400] {
      let switched = try run(candidate, .standard, [change: settings], after: samples)
      let boundary =
        change * Self.rate.samplesPerFrame + samples
        + candidate.engine.latencySamples(Self.format)
      let first = zip(kept, switched).enumerated().first { $1.0 != $1.1 }?.offset
      #expect(first.map { $0 >= boundary } ?? false, "\(samples): \(first ?? -1), \(boundary)")
      if settings.isBypassed {
        #expect(first.map { $0 < boundary + 4 } ?? false, "\(samples): \(first ?? -1)")
      }
    }
  }

  @Test(arguments: Candidate.all)
  func switchesThatFollowEachOtherEndInTheLastSettings(candidate: Candidate) throws {
    let frames = Dictionary(uniqueKeysWithValues: Self.switches.enumerated().map { (60 + $0, $1) })
    let many = frames.merging([80: .standard]) { $1 }
    let output = try run(candidate, .standard, many, after: 77)
    #expect(output.allSatisfy { $0.isFinite })
    let kept = try run(candidate, .standard)
    let last = Self.rate.hertz / 2
    #expect(abs(level(output.suffix(last)) - level(kept.suffix(last))) < 3)
  }

  @Test(arguments: Candidate.all, switches)
  func aSwitchIsWithoutAClickBothWays(candidate: Candidate, settings: EngineSettings) throws {
    let output = try run(candidate, .standard, [120: settings, 180: .standard])
    let steadyOn = try run(candidate, .standard)
    let steadyOff = try run(candidate, settings)
    let limit = max(largestStep(steadyOn[...]), largestStep(steadyOff[...])) * 1.1
    let within = try run(candidate, .standard, [120: settings, 180: .standard], after: 131)
    for frame in [120, 180] {
      let begin = frame * Self.rate.samplesPerFrame - 1
      #expect(largestStep(output[begin..<(begin + 800)]) <= limit)
      #expect(largestStep(within[begin..<(begin + 800)]) <= limit)
    }
  }

  /// The echo was loud in the last frame before, and headphones take its place.
  @Test(arguments: Candidate.all, [400, 430, 460])
  func aVoiceIsFoundOnceEchoCancellationIsOff(candidate: Candidate, frame: Int) async throws {
    let begin = frame * Self.rate.samplesPerFrame
    var off = EngineSettings.standard
    off.echoSuppression = nil
    let voice = try await Voices.near.value
    let run = try EngineRun(
      candidate.engine, .standard, rate: Self.rate,
      microphone: [EchoTests.echo.prefix(begin) + voice],
      reference: [EchoTests.reference.prefix(begin) + Signals.silence(voice.count)],
      changes: [frame: off], path: .steady)
    let found = run.findings.dropFirst(frame).count { $0.hasVoice }
    #expect(found > run.findings.dropFirst(frame).count / 3, "\(found)")
  }

  @Test(arguments: Candidate.all)
  func theLearnedPathSurvivesATimeSwitchedOff(candidate: Candidate) throws {
    var off = EchoTests.settings
    off.echoSuppression = nil
    let run = try EngineRun(
      candidate.engine, EchoTests.settings, rate: EchoTests.rate, microphone: [EchoTests.echo],
      reference: [EchoTests.reference], changes: [500: off, 600: EchoTests.settings])
    let second = EchoTests.rate.hertz
    let switchedOff = run.output[0][(5 * second + second / 10)..<(6 * second)]
    let onAgain = run.output[0][(6 * second + second / 50)..<(6 * second + second / 2)]
    #expect(level(switchedOff) > level(EchoTests.echo) - 3)
    #expect(level(onAgain) < level(EchoTests.echo) - 15)
  }

  private func run(
    _ candidate: Candidate, _ settings: EngineSettings, _ changes: [Int: EngineSettings] = [:],
    after samples: Int = 0
  ) throws -> [Float] {
    try EngineRun(
      candidate.engine, settings, rate: Self.rate, microphone: [Scene.microphone],
      reference: [Scene.reference], changes: changes, after: samples
    ).output[0]
  }

  private func largestStep(_ signal: ArraySlice<Float>) -> Float {
    zip(signal, signal.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }
}

/// A near voice, echo, noise and hum at 16 kHz for 3 s, so that every stage has an effect.
enum Scene {
  private static let rate = SampleRate.hz16000
  static let reference = Signals.babble(rate.hertz * 3, rate: rate, seed: 7)
  static let microphone: [Float] = {
    let near = Signals.vowels(rate.hertz * 3, rate: rate, amplitude: 0.1)
    let echo = Signals.echo(of: reference, delay: 640, gain: 0.3)
    let noise = Signals.noise(near.count, amplitude: 0.01, seed: 5)
    return near.indices.map { index in
      // The near voice has pauses, for effects that occur only in pauses.
      let isTalking = index / (rate.hertz / 2) % 2 == 0
      let hum = 0.02 * Float((index / 160) % 2 == 0 ? 1 : -1)
      return (isTalking ? near[index] : 0) + echo[index] + noise[index] + hum
    }
  }()
}
