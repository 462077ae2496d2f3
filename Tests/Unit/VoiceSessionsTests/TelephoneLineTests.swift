import AudioCore
import BundledEngines
import TestAudio
import Testing

@testable import VoiceSessions

/// The echo of a telephone line, whose pauses are digital silence.
struct TelephoneLineTests {
  /// A far end with a pause of half a second after each second and a half.
  private static let farEnd = Task {
    let voice = try await Voices.far.value
    return stride(from: 0, to: 16_000 * 15, by: 24_000).flatMap { first in
      voice[first..<first + 24_000] + [Float](repeating: 0, count: 8000)
    }
  }

  @Test(arguments: [0.02, 0.05, 0.08])
  func theEchoStaysAwayAfterPausesOfDigitalSilence(lag: Double) async throws {
    let farEnd = try await Self.farEnd.value
    let delay = [Float](repeating: 0, count: Int(lag * 16_000))
    let microphone = (delay + farEnd.map { 0.3 * $0 }).prefix(farEnd.count)
      .map { $0.magnitude < 1 / 32_768 ? 0 : $0 }
    var setup = SessionSetup(microphone: .s16, reference: .s16)
    setup.configuration.voiceActivity.isEnabled = true
    let run = try SessionRun(setup)
    try run.send(
      microphone: encode([microphone], .s16), in: 160, reference: encode([farEnd], .s16), in: 160)
    run.finish()
    let output = decode(run.sink.processed, .s16)[0]
    for second in 3..<farEnd.count / 16_000 {
      let part = second * 16_000..<(second + 1) * 16_000
      let residual = level(output[part]) - level(microphone[part])
      #expect(residual < -40, "second \(second)")
    }
  }
}
