import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// The first word after a long pause, and a word with which a call begins.
struct FirstWordTests {
  private static let rate = Voices.rate
  private static let second = rate.hertz
  /// The standard mic mode without gain control.
  private static let settings = EngineSettings(
    echoSuppression: .moderate, noiseSuppression: .moderate, highPassFilter: true)

  /// A voice from its first loud frame on, of -26 dBFS.
  private static func voice(_ samples: [Float]) -> [Float] {
    let loud = stride(from: 0, to: samples.count - 160, by: 160).first {
      level(samples[$0..<$0 + 160]) > level(samples[...]) - 10
    }
    let voice = samples[(loud ?? 0)...]
    let factor = Decibels.factor(-26 - level(voice))
    return voice.map { $0 * factor }
  }

  /// Nil is digital silence.
  @Test(arguments: [nil, -70, -50] as [Float?])
  func aVoiceAfterALongPauseIsFoundAtOnce(noise: Float?) async throws {
    let pause = 20 * Self.second
    for samples in [try await Voices.near.value, try await Voices.far.value] {
      let voice = Self.voice(samples).prefix(2 * Self.second)
      // The power of uniform noise is a third of that of its peak.
      let room = noise.map {
        Signals.noise(pause + voice.count, amplitude: Decibels.factor($0 + 4.8))
      }
      let call = ([Float](repeating: 0, count: pause) + voice).enumerated().map {
        $1 + (room?[$0] ?? 0)
      }
      let run = try EngineRun(
        AnechoicVoiceEngine.self, Self.settings, rate: Self.rate, microphone: [call])
      let found = run.findings.dropFirst(pause / 160).firstIndex { $0.hasVoice }
      let delay = try #require(found) - pause / 160
      #expect(delay < 20, "\(delay) frames")
      let output = run.output[0].dropFirst(pause + run.latencySamples).prefix(Self.second / 2)
      let change = level(output) - level(voice.prefix(Self.second / 2))
      #expect(change > -3, "\(change) dB in the first half second")
    }
  }

  @Test func aVoiceWithWhichACallBeginsIsKept() async throws {
    for samples in [try await Voices.near.value, try await Voices.far.value] {
      let voice = Array(Self.voice(samples).prefix(2 * Self.second))
      let run = try EngineRun(
        AnechoicVoiceEngine.self, Self.settings, rate: Self.rate, microphone: [voice])
      let quarter = Self.second / 4
      let output = run.output[0].dropFirst(run.latencySamples).prefix(quarter)
      let change = level(output) - level(voice.prefix(quarter))
      #expect(change > -6, "\(change) dB in the first quarter second")
    }
  }

  /// A minute of noise.
  @Test func aNoiseIsNoVoiceHoweverLongItLasts() throws {
    let noise = Signals.noise(60 * Self.second, amplitude: Decibels.factor(-35))
    let run = try EngineRun(
      AnechoicVoiceEngine.self, Self.settings, rate: Self.rate, microphone: [noise])
    let found = run.findings.dropFirst(200).count { $0.hasVoice }
    #expect(found == 0)
    let last = level(run.output[0].suffix(Self.second))
    #expect(last < level(noise[...]) - 20, "\(last) dBFS")
  }
}
