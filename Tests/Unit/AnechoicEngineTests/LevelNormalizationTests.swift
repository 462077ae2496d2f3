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

  @Test func softerFramesOfALoudCallAreAttenuatedByAsMuch() {
    var normalization = LevelNormalization()
    record(-10, frames: 300, &normalization)
    let loud = gain(normalization)
    record(-40, frames: 10, &normalization)
    #expect(abs(gain(normalization) - loud) < 0.2)
  }

  @Test func oneLoudFrameChangesLittle() {
    var normalization = LevelNormalization()
    record(-25, frames: 100, &normalization)
    record(0, frames: 1, &normalization)
    #expect(gain(normalization) > -3)
  }

  @Test func afterALoudVoiceTheFactorRisesByOneDecibelASecondUpToOne() {
    var normalization = LevelNormalization()
    record(-10, frames: 300, &normalization)
    var last = gain(normalization)
    for second in 1...13 {
      record(-50, frames: 100, &normalization)
      #expect(abs(gain(normalization) - last - 1) < 0.05, "second \(second)")
      last = gain(normalization)
    }
    record(-50, frames: 200, &normalization)
    #expect(normalization.factor == 1)
  }

  @Test func afterAShortLoudSoundTheFactorRisesByTenDecibelsASecond() {
    var normalization = LevelNormalization()
    record(-10, frames: 30, &normalization)
    let loud = gain(normalization)
    record(-50, frames: 50, &normalization)
    #expect(abs(gain(normalization) - loud - 5) < 0.2, "\(gain(normalization))")
    record(-50, frames: 200, &normalization)
    #expect(gain(normalization) > -0.1)
  }

  /// The words of a loud voice have pauses.
  @Test func aLoudVoiceInSyllablesLasts() {
    var normalization = LevelNormalization()
    for _ in 0..<20 {
      record(-10, frames: 15, &normalization)
      record(-40, frames: 15, &normalization)
    }
    record(-40, frames: 100, &normalization)
    #expect(gain(normalization) < -11, "\(gain(normalization))")
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
