import Foundation
import Testing

@testable import AnechoicEngine

@Suite struct VoiceDecisionTests {
  /// Returns what a probability of 0.9 becomes at levels in dBFS, one frame after the other.
  private func probabilities(at levels: [Float]) -> [Float] {
    var decision = VoiceDecision()
    return levels.map {
      decision.record(0.9, power: powf(10, $0 / 10))
      return decision.probability
    }
  }

  @Test(
    arguments: [(-44, 0.89), (-49, 0.82), (-54, 0.45), (-59, 0.08), (-64, 0.01)] as [(Float, Float)]
  )
  func aSofterVoiceCountsLess(level: Float, expected: Float) {
    let found = probabilities(at: [level])[0]
    #expect(abs(found - expected) < 0.02, "\(found)")
  }

  @Test func theLevelIsThatOfTheLoudestRecentFrame() {
    // 20 dB of the fall from -34 dBFS, at 30 dB a second, are over after two thirds of a second.
    let found = probabilities(at: [-34] + Array(repeating: -90, count: 100))
    #expect(found[50] > 0.75)
    #expect(abs(found[67] - 0.45) < 0.05, "\(found[67])")
    #expect(found[100] < 0.05)
  }

  @Test func aShortPauseBelongsToTheVoice() {
    var decision = VoiceDecision()
    decision.record(0.9, power: 1e-3)
    let ends = (1...100).first { _ in
      decision.record(0, power: 1e-3)
      return !decision.hasVoice
    }
    #expect(decision.probabilityOfFrame == 0)
    #expect(ends == 16, "0.9 falls below 0.3 by 7 % in each frame")
  }

  @Test func silenceIsNoVoice() {
    var decision = VoiceDecision()
    decision.record(1, power: 0)
    #expect(decision.probability == 0 && !decision.hasVoice)
  }
}
