import AudioCore
import Foundation
import TestAudio
import TestEngines
import Testing
import VoiceEngines

@testable import AnechoicEngine

struct SteadyHumTests {
  private static let rate = SampleRate.hz8000
  private static let settings = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate, highPassFilter: true)

  /// Returns a voice without its low tones, twice, each time after two seconds of a quiet room.
  private static func telephoneVoice() async throws -> [Float] {
    let wide = try await Voices.near.value
    let voice = stride(from: 0, to: wide.count - 1, by: 2).map { (wide[$0] + wide[$0 + 1]) / 2 }
    let pause = Signals.silence(2 * rate.hertz)
    var sound = pause + voice + pause + voice
    for _ in 0..<4 { sound = passed(sound, from: 300) }
    let room = Signals.noise(sound.count, amplitude: Decibels.factor(-60))
    let gain = Decibels.factor(-26 - level(voice))
    return zip(sound, room).map { $0 * gain + $1 }
  }

  /// Returns a sound behind a high-pass filter.
  private static func passed(_ sound: [Float], from cutoff: Float) -> [Float] {
    var filter = HighPassFilter(cutoff: cutoff, rate: rate, channelCount: 1)
    let input = Frame(rate: rate, channelCount: 1)
    let output = Frame(rate: rate, channelCount: 1)
    var passed: [Float] = []
    for first in stride(from: 0, through: sound.count - input.sampleCount, by: input.sampleCount) {
      for index in 0..<input.sampleCount { input.planePointers[0][index] = sound[first + index] }
      filter.process(input, into: output)
      passed.append(contentsOf: output.plane(0))
    }
    return passed
  }

  private static func tone(_ frequency: Float, _ level: Float, _ count: Int) -> [Float] {
    let amplitude = Decibels.factor(level + 3)
    return (0..<count).map {
      amplitude
        * sin(
          2 * .pi * (frequency * Float($0) / Float(rate.hertz)).truncatingRemainder(dividingBy: 1))
    }
  }

  private func run(_ sound: [Float]) throws -> EngineRun {
    try EngineRun(AnechoicVoiceEngine.self, Self.settings, rate: Self.rate, microphone: [sound])
  }

  private func framesOfVoice(_ run: EngineRun) -> Int { run.findings.count { $0.hasVoice } }

  @Test(arguments: [(20, -30), (50, -60), (50, -40), (60, -30)] as [(Float, Float)])
  func aVoiceOfATelephoneIsFoundBesideHum(frequency: Float, level: Float) async throws {
    let voice = try await Self.telephoneVoice()
    let hum = Self.tone(frequency, level, voice.count)
    let alone = framesOfVoice(try run(voice))
    let found = framesOfVoice(try run(zip(voice, hum).map { $0 + $1 }))
    #expect(found > alone * 9 / 10, "\(found) of \(alone) frames")
  }

  @Test func humIsNoLouderBehindTheEngine() throws {
    let hum = Self.tone(50, -40, 10 * Self.rate.hertz)
    let output = try run(hum).output[0].dropFirst(5 * Self.rate.hertz)
    #expect(level(output) < -80, "\(level(output)) dBFS")
  }

  /// Returns the share of each power that is left.
  private func rest(of powers: [Float]) -> [Float] {
    let memory = FloatBuffer(SteadyHum.capacity)
    let hum = SteadyHum(memory.start)
    let bands = FloatBuffer(2 * SteadyHum.bands)
    return powers.map { power in
      bands.start.update(repeating: power, count: 2 * SteadyHum.bands)
      hum.remove(from: bands.start, and: bands.start + SteadyHum.bands)
      return bands.start[0] / power
    }
  }

  @Test func aSteadyPowerIsRemovedAfterASecond() {
    #expect(rest(of: [Float](repeating: 1e-5, count: 100)).last == 1)
    #expect(rest(of: [Float](repeating: 1e-5, count: 150)).last == 0)
  }

  @Test func aSofterFrameAfterHumKeepsWhatIsAboveTheHum() throws {
    let hum = [Float](repeating: 1e-5, count: 200)
    // A power that lasts for a second is steady again. A sudden one is not.
    #expect(try #require(rest(of: hum + [1e-2]).last) > 0.99)
    let softer = hum + [Float](repeating: 1e-9, count: 95)
    #expect(try #require(rest(of: softer + [1e-6]).last) > 0.99)
  }

  @Test func noiseIsNotRemoved() {
    var generator = SeededGenerator(seed: 1)
    let powers = (0..<6_000).map { _ in -log(Float.random(in: 1e-6..<1, using: &generator)) }
    let frames = rest(of: powers).count { $0 < 1 }
    #expect(frames < 60, "\(frames) of \(powers.count) frames")
  }
}
