import AcousticSimulator
import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

@testable import AnechoicEngine

#if canImport(Glibc)
  import Glibc
#endif

/// A machine that beeps: each beep is the same as the one before.
struct BeepTests {
  private static let rate = Voices.rate

  /// The filter fitted the beeps at first, and became louder than the echo within 10 s.
  @Test(arguments: [1000, 2048], [false, true])
  func aVoiceIsHeardBesideBeeps(hertz: Int, isHeardByMicrophone: Bool) async throws {
    let second = Self.rate.hertz
    let beeps = (0..<(22 * second)).map { index in
      index % second < second / 2
        ? 0.25 * sin(2 * Float.pi * Float(index * hertz % second) / Float(second)) : 0
    }
    let echo =
      isHeardByMicrophone
      ? EchoScene(rate: second).record(farEnd: beeps).microphone : Signals.silence(beeps.count)
    let voice = try await Voices.near(after: 18).prefix(beeps.count)
    let near = Array(voice) + Signals.silence(beeps.count - voice.count)
    let noise = Signals.noise(beeps.count, amplitude: 1e-3)
    let microphone = near.indices.map { near[$0] + echo[$0] + noise[$0] }
    let run = try EngineRun(
      AnechoicVoiceEngine.self, EngineSettings(echoSuppression: .moderate), rate: Self.rate,
      microphone: [microphone], reference: [beeps], path: .steady)
    let spoken = (18 * second)..<(21 * second)
    let loss = level(near[spoken]) - level(run.output[0][spoken])
    #expect(loss < 6, "\(loss) dB")
    let found = run.findings[1800..<2100].count { $0.hasVoice }
    #expect(found > 150, "\(found) of 300 frames")
  }
}
