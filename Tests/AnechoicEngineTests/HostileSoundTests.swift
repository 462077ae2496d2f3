import AudioCore
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// Sounds that no microphone and no loudspeaker should give.
struct HostileSoundTests {
  private static let rate = SampleRate.hz16000
  private static let count = 2 * rate.hertz
  private static let voice = Signals.babble(count, rate: rate, amplitude: 0.1, seed: 3)

  struct Sound: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let microphone: [Float]
    let reference: [Float]

    init(_ name: String, _ microphone: [Float], reference: [Float]? = nil) {
      testDescription = name
      self.microphone = microphone
      self.reference = reference ?? Signals.babble(microphone.count, rate: rate, seed: 9)
    }
  }

  static let sounds = [
    Sound("not a number", voice.enumerated().map { $0 % 997 == 5 ? .nan : $1 }),
    Sound("infinite", voice.enumerated().map { $0 % 997 == 5 ? .infinity : $1 }),
    Sound("nothing but NaN", [Float](repeating: .nan, count: count)),
    Sound("a square wave at full scale", (0..<count).map { $0 / 40 % 2 == 0 ? 1 : -1 }),
    Sound("direct current", [Float](repeating: 0.7, count: count)),
    Sound("clicks of one sample", (0..<count).map { $0 % 1601 == 0 ? 1 : 0 }),
    Sound(
      "denormals", (0..<count).map { ($0 % 2 == 0 ? 100 : -100) * Float.leastNonzeroMagnitude }),
    Sound("silence", Signals.silence(count)),
    Sound("the reference itself", voice, reference: voice),
    Sound("a reference louder by 60 dB", voice.map { $0 / 1000 }, reference: voice),
    Sound("a reference of NaN", voice, reference: [Float](repeating: .nan, count: count)),
    Sound("a huge reference", voice, reference: voice.map { $0 * 1e20 }),
  ]

  @Test(arguments: sounds)
  func theOutputIsNeverLouderThanTheMicrophone(sound: Sound) throws {
    let settings = EngineSettings(
      echoSuppression: .moderate, noiseSuppression: .moderate, highPassFilter: false)
    let output = try process(sound, settings)
    #expect(output.allSatisfy { $0.isFinite })
    let loudest = sound.microphone.map { $0.isFinite ? abs($0) : 0 }.max() ?? 0
    // A window that overlaps a change may exceed the peak a little; the level may not.
    #expect((output.map(abs).max() ?? 0) <= 1.5 * loudest + 1e-6)
    let powers = [sound.microphone.map { $0.isFinite ? $0 : 0 }, output].map {
      $0.reduce(0) { $0 + $1 * $1 }
    }
    #expect(powers[1] <= powers[0] * 1.01 + 1e-6)
  }

  @Test(arguments: sounds)
  func withGainControlTheOutputIsBelowFullScale(sound: Sound) throws {
    let settings = EngineSettings(
      echoSuppression: .high, noiseSuppression: .veryHigh, gainTarget: 3, highPassFilter: true,
      isolatesVoice: true)
    #expect(try process(sound, settings).allSatisfy { abs($0) <= 1 })
  }

  @Test func aVoiceAfterNaNIsHeardAgain() throws {
    let microphone = [Float](repeating: .nan, count: Self.rate.hertz) + Self.voice
    let output = try process(
      Sound("", microphone, reference: Signals.silence(microphone.count)), EngineSettings())
    #expect(abs(level(output.suffix(16_000)) - level(Self.voice.suffix(16_000))) < 1)
  }

  @Test func theSameInputGivesTheSameOutput() throws {
    let settings = EngineSettings(
      echoSuppression: .moderate, noiseSuppression: .high, gainTarget: 3, highPassFilter: true)
    let sound = Sound("", Self.voice)
    #expect(try process(sound, settings) == process(sound, settings))
  }

  private func process(_ sound: Sound, _ settings: EngineSettings) throws -> [Float] {
    let rate = Self.rate
    let engine = try AnechoicVoiceEngine(
      format: EngineFormat(
        rate: rate, channelCount: 1, reference: .init(rate: rate, channelCount: 1)),
      settings: settings)
    let input = Frame(rate: rate, channelCount: 1)
    let played = Frame(rate: rate, channelCount: 1)
    let processed = Frame(rate: rate, channelCount: 1)
    var output: [Float] = []
    for start in stride(from: 0, to: sound.microphone.count - 159, by: 160) {
      for index in 0..<160 {
        input.plane(0)[index] = sound.microphone[start + index]
        played.plane(0)[index] = sound.reference[start + index]
      }
      _ = engine.process(
        microphone: input, reference: played, conditions: EchoConditions(path: .steady),
        into: processed)
      output.append(contentsOf: processed.plane(0))
    }
    return output
  }
}
