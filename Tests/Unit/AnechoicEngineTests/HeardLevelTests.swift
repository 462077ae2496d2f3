import AudioCore
import Testing

@testable import AnechoicEngine

struct HeardLevelTests {
  /// Takes frames at a level in dBFS.
  private func note(_ level: Float, frames: Int, _ heard: inout HeardLevel) {
    let power = Decibels.factor(level) * Decibels.factor(level)
    for _ in 0..<frames { heard.note(power) }
  }

  /// The factor for powers, in decibels.
  private func gain(_ heard: HeardLevel) -> Float { Decibels.level(meanSquare: heard.factor) }

  @Test(arguments: [-100, -60, -30, -25] as [Float])
  func softCallsAreHeardAsTheyAre(level: Float) {
    var heard = HeardLevel()
    #expect(heard.factor == 1)
    note(level, frames: 500, &heard)
    #expect(heard.factor == 1)
  }

  @Test(arguments: [-20, -10, 0, 12] as [Float])
  func theLoudestFramesOfALoudCallAreHeardAtMinus24(level: Float) {
    var heard = HeardLevel()
    note(level, frames: 20, &heard)
    #expect(abs(level + gain(heard) - -24) < 0.1, "\(gain(heard))")
  }

  @Test func softerFramesOfALoudCallAreHeardSofterByAsMuch() {
    var heard = HeardLevel()
    note(-10, frames: 20, &heard)
    let loud = gain(heard)
    note(-40, frames: 10, &heard)
    #expect(abs(gain(heard) - loud) < 0.2)
  }

  @Test func oneLoudFrameChangesLittle() {
    var heard = HeardLevel()
    note(-25, frames: 100, &heard)
    note(0, frames: 1, &heard)
    #expect(gain(heard) > -3)
  }

  @Test func afterSomethingLoudTheFactorRisesByOneDecibelASecondUpToOne() {
    var heard = HeardLevel()
    note(-10, frames: 20, &heard)
    var last = gain(heard)
    for second in 1...13 {
      note(-50, frames: 100, &heard)
      #expect(abs(gain(heard) - last - 1) < 0.05, "second \(second)")
      last = gain(heard)
    }
    note(-50, frames: 200, &heard)
    #expect(heard.factor == 1)
  }

  @Test func silenceAndPowersWithoutBoundsGiveFactors() {
    var heard = HeardLevel()
    for power in [0, .greatestFiniteMagnitude, 0, 1e-30, .greatestFiniteMagnitude] as [Float] {
      for _ in 0..<300 {
        heard.note(power)
        #expect(heard.factor > 0 && heard.factor <= 1)
      }
    }
  }
}
