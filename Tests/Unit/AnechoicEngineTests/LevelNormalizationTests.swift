import AudioCore
import Testing

@testable import AnechoicEngine

struct LevelNormalizationTests {
  /// Records frames at a level in dBFS.
  private func record(_ level: Float, frames: Int, _ normalization: inout LevelNormalization) {
    let power = Decibels.factor(level) * Decibels.factor(level)
    for _ in 0..<frames { normalization.record(power) }
  }

  /// The factor for powers, in decibels.
  private func gain(_ normalization: LevelNormalization) -> Float {
    Decibels.level(meanSquare: normalization.factor)
  }

  @Test(arguments: [-100, -60, -30, -25] as [Float])
  func softCallsAreNotAttenuated(level: Float) {
    var normalization = LevelNormalization()
    #expect(normalization.factor == 1)
    record(level, frames: 500, &normalization)
    #expect(normalization.factor == 1)
  }

  @Test(arguments: [-20, -10, 0, 12] as [Float])
  func theLoudestFramesOfALoudCallAreNormalizedToMinus24(level: Float) {
    var normalization = LevelNormalization()
    record(level, frames: 20, &normalization)
    #expect(abs(level + gain(normalization) - -24) < 0.1, "\(gain(normalization))")
  }

  @Test func oneLoudFrameChangesLittle() {
    var normalization = LevelNormalization()
    record(-25, frames: 100, &normalization)
    record(0, frames: 1, &normalization)
    #expect(gain(normalization) > -3)
  }

  /// Somebody softer may talk next.
  @Test(arguments: [30, 3000])
  func afterALoudSoundTheFactorRisesByTenDecibelsASecond(frames: Int) {
    var normalization = LevelNormalization()
    record(-10, frames: frames, &normalization)
    let loud = gain(normalization)
    record(-50, frames: 50, &normalization)
    #expect(abs(gain(normalization) - loud - 5) < 0.2, "\(gain(normalization))")
    record(-50, frames: 100, &normalization)
    #expect(normalization.factor == 1)
  }

  @Test func silenceAndPowersWithoutBoundsGiveFactors() {
    var normalization = LevelNormalization()
    for power in [0, .greatestFiniteMagnitude, 0, 1e-30, .greatestFiniteMagnitude] as [Float] {
      for _ in 0..<300 {
        normalization.record(power)
        #expect(normalization.factor > 0 && normalization.factor <= 1)
      }
    }
  }
}
