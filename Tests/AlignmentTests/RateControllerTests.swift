import Alignment
import Testing

struct RateControllerTests {
  /// A buffer between clocks that differ, and its level after each second.
  private func levels(partsPerMillion: Double, seconds: Int, start: Double = 0) -> [Double] {
    var controller = RateController(rate: 48000)
    var level = start
    return (0..<seconds).map { _ in
      level += 48000 * (partsPerMillion - controller.deviation) * 1e-6
      controller.update(surplus: level, seconds: 1)
      return level
    }
  }

  @Test(arguments: [-500.0, -20, 20, 500])
  func theLevelComesBackAndStays(partsPerMillion: Double) {
    let levels = levels(partsPerMillion: partsPerMillion, seconds: 600)
    #expect(levels.suffix(60).allSatisfy { abs($0) < 1 })
    // 5 ms at most, on the way.
    #expect(levels.allSatisfy { abs($0) < abs(partsPerMillion) / 500 * 480 })
  }

  @Test func aSurplusGoesWithoutSwinging() {
    let levels = levels(partsPerMillion: 0, seconds: 300, start: 480)
    #expect(levels.allSatisfy { $0 > -100 })
    #expect(abs(levels.last ?? 480) < 1)
  }

  @Test func theRateIsBoundedAndTheControllerDoesNotRunAway() {
    var controller = RateController(rate: 48000)
    for _ in 0..<10_000 { controller.update(surplus: 1e6, seconds: 1) }
    #expect(controller.deviation == RateController.largestDeviation)
    var seconds = 0
    while controller.deviation > 0, seconds < 200 {
      controller.update(surplus: -480, seconds: 1)
      seconds += 1
    }
    #expect(seconds < 150, "\(seconds)")
  }
}
