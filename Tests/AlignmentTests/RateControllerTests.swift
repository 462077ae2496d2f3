import Alignment
import TestAudio
import Testing

struct RateControllerTests {
  /// Returns the level of a buffer between two clocks after each second.
  private func levels(partsPerMillion: Double, seconds: Int, start: Double = 0) -> [Double] {
    var controller = RateController(rate: 48000)
    var level = start
    return (0..<seconds).map { _ in
      level += 48000 * (partsPerMillion - controller.deviation) * 1e-6
      controller.update(level: level, target: 0, seconds: 1)
      return level
    }
  }

  private static let off = RateController.off * 48000

  @Test(arguments: [-500.0, -20, 3, 20, 500])
  func aGoodLevelIsNotCorrected(partsPerMillion: Double) {
    let levels = levels(partsPerMillion: partsPerMillion, seconds: 1200)
    #expect(levels.suffix(900).allSatisfy { abs($0) < Self.off + 5 }, "\(levels.last ?? 0)")
    // The level deviates by at most 8 ms on the way.
    #expect(levels.allSatisfy { abs($0) < 384 })
  }

  @Test func aSurplusGoesWithoutSwinging() {
    let levels = levels(partsPerMillion: 0, seconds: 600, start: 480)
    #expect(levels.allSatisfy { $0 > -48 })
    #expect(abs(levels.last ?? 480) < 48)
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

  /// Without drift the rate stays the same, whatever the jitter, because each change of the rate
  /// changes the echo path.
  @Test func theRateStaysConstant() {
    var generator = SeededGenerator(seed: 9)
    var controller = RateController(rate: 48000)
    var rates: Set<Double> = []
    var level = 60.0
    for _ in 0..<300 {
      level -= 48000 * controller.deviation * 1e-6
      // The jitter is at most 1 ms.
      let jitter = Double.random(in: -48...48, using: &generator)
      controller.update(level: level + jitter, target: 0, seconds: 1)
      rates.insert(controller.deviation)
    }
    #expect(rates.count <= 3 && rates.allSatisfy { abs($0) < 40 }, "\(rates)")
  }

  /// At a start, the buffer still settles.
  @Test func aSettlingLevelDoesNotCountAsDrift() {
    var controller = RateController(rate: 48000)
    var drifts: Set<Double> = []
    for level in [300.0, 150, 60, 60, -20, 40, 10, 60, 20, 30, -40, 0, 50, -30, 20, 10, 0, 20] {
      controller.update(level: level, target: 0, seconds: 1)
      drifts.insert(controller.drift)
    }
    #expect(drifts == [0], "\(drifts)")
  }

  /// A sound server that takes one more block than before causes such a step.
  @Test(arguments: [8, 12, 30])
  func aStepOfTheLevelDoesNotCountAsDrift(at second: Int) {
    var controller = RateController(rate: 48000)
    var level = 0.0
    var drifts: Set<Double> = []
    for index in 0..<300 {
      level -= 48000 * controller.deviation * 1e-6
      if index == second { level += 480 }
      controller.update(level: level, target: 0, seconds: 1)
      drifts.insert(controller.drift)
    }
    #expect(drifts == [0], "\(drifts)")
    #expect(abs(level) < Self.off)
  }

  @Test func theRateIsBounded() {
    var controller = RateController(rate: 48000)
    for index in 0..<100 { controller.update(level: 1e6 * Double(index), target: 0, seconds: 1) }
    let deviation = controller.deviation
    #expect(abs(deviation) <= RateController.largestDrift + RateController.correction)
  }

  @Test func theDriftIsKeptWhenTheBufferRestarts() {
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
