import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

/// Stereo of an audio interface to which one microphone is connected.
struct UnequalChannelTests {
  @Test(arguments: [0, 1], [nil, -90] as [Float?])
  func aChannelWithoutAMicrophoneChangesNothing(channel: Int, noise: Float?) async throws {
    let voice = try await Voices.near.value
    let microphone = zip(voice, Signals.noise(voice.count, amplitude: Decibels.factor(-75))).map {
      $0 * 0.2 + $1
    }
    let other =
      noise.map { Signals.noise(voice.count, amplitude: Decibels.factor($0 + 4.8), seed: 2) }
      ?? Signals.silence(voice.count)
    let settings = EngineSettings(noiseSuppression: .moderate, highPassFilter: true)
    func run(_ planes: [[Float]]) throws -> EngineRun {
      try EngineRun(AnechoicVoiceEngine.self, settings, rate: Voices.rate, microphone: planes)
    }
    let alone = try run([microphone])
    let both = try run(channel == 0 ? [microphone, other] : [other, microphone])
    let found = (alone.findings.count { $0.hasVoice }, both.findings.count { $0.hasVoice })
    #expect(abs(found.0 - found.1) <= found.0 / 50, "\(found.0), \(found.1) frames")
    let change = level(both.output[channel][...]) - level(alone.output[0][...])
    #expect(abs(change) < 0.2, "\(change) dB")
  }
}
