import Alignment
import TestAudio
import Testing

struct RateControllerTests {
  /// A buffer between clocks that differ, and its level after each second.
  private func levels(partsPerMillion: Double, seconds: Int, start: Double = 0) -> [Double] {
    var controller = RateController(rate: 48000)
    var level = start
    return (0..<seconds).map { _ in
      level += 48000 * (partsPerMillion - controller.deviation) * 1e-6
      controller.update(level: level, target: 0, seconds: 1)
      return level
    }
  }

  @Test(arguments: [-500.0, -20, 20, 500])
  func theLevelComesBackAndStays(partsPerMillion: Double) {
    let levels = levels(partsPerMillion: partsPerMillion, seconds: 600)
    #expect(levels.suffix(60).allSatisfy { abs($0) < 5 }, "\(levels.last ?? 0)")
    // 8 ms at most, on the way.
    #expect(levels.allSatisfy { abs($0) < 384 })
  }

  @Test func aSurplusGoesWithoutSwinging() {
    let levels = levels(partsPerMillion: 0, seconds: 600, start: 480)
    #expect(levels.allSatisfy { $0 > -48 })
    #expect(abs(levels.last ?? 480) < 5)
  }

  @Test(arguments: [-500.0, 500])
  func theDriftIsFoundThroughTheJitterOfTheLevel(partsPerMillion: Double) {
    var generator = SeededGenerator(seed: 5)
    var controller = RateController(rate: 48000)
    var level = 0.0
    for _ in 0..<120 {
      level += 48000 * (partsPerMillion - controller.deviation) * 1e-6
      let jitter = Double.random(in: -24...24, using: &generator)
      controller.update(level: level + jitter, target: 0, seconds: 1)
    }
    let drift = controller.drift
    #expect(abs(drift - partsPerMillion) < 40, "\(drift)")
  }

  @Test func theRateIsBounded() {
    var controller = RateController(rate: 48000)
    for index in 0..<100 { controller.update(level: 1e6 * Double(index), target: 0, seconds: 1) }
    let deviation = controller.deviation
    #expect(abs(deviation) <= RateController.largestDeviation)
  }

  @Test func theDriftStaysWhenTheBufferStartsAnew() {
    var controller = RateController(rate: 48000)
    for index in 0..<60 {
      let level = 48000 * 100e-6 * Double(index) - 0
      controller.update(level: level, target: level, seconds: 1)
    }
    let before = controller.drift
    controller.restart()
    let (drift, deviation) = (controller.drift, controller.deviation)
    #expect(before != 0 && drift == before && deviation == before)
  }
}
