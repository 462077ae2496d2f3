import AudioCore
import TestEngines
import TestAudio
import Testing
import VoiceEngines

/// Noise that begins after digital silence, as from a microphone that was muted before.
struct NoiseOnsetTests {
  private static let rate = SampleRate.hz16000
  private static let second = rate.hertz

  @Test(arguments: Candidate.all, [-20, -35, -50] as [Float])
  func noiseAfterSilenceIsNotRaised(candidate: Candidate, noise: Float) throws {
    let run = try Self.run(candidate, noise: noise)
    let levels = Self.levels(of: run)
    #expect(levels.allSatisfy { $0 < noise + 10 }, "\(levels)")
    #expect(levels[4...].allSatisfy { $0 < noise - 5 }, "\(levels)")
  }

  @Test(arguments: Candidate.all, [-20, -35, -50] as [Float])
  func noiseAfterSilenceIsNoVoiceForLong(candidate: Candidate, noise: Float) throws {
    let run = try Self.run(candidate, noise: noise)
    let found = run.findings.filter(\.hasVoice).count
    #expect(found < 200, "\(found) frames")
  }

  private static func run(_ candidate: Candidate, noise: Float) throws -> EngineRun {
    let silence = [Float](repeating: 0, count: second)
    // The power of uniform noise is a third of that of its peak.
    let noise = Signals.noise(6 * second, amplitude: Decibels.factor(noise + 4.8))
    return try EngineRun(candidate.engine, .standard, rate: rate, microphone: [silence + noise])
  }

  /// Returns the levels of each half of a second of the noise, dBFS.
  private static func levels(of run: EngineRun) -> [Float] {
    (2..<13).map { half in
      level(run.output[0].dropFirst(run.latencySamples + half * second / 2).prefix(second / 2))
    }
  }
}
