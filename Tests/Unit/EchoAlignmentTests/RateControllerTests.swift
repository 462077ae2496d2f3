import EchoAlignment
import TestAudio
import Testing

/// A controller and the drift of what it reads, in virtual time.
private struct ControlledLevel: ~Copyable {
  static let rate = 48000.0
  var controller = RateController(rate: rate)
  var arrivals = ArrivalDrift(rate: rate)
  /// The samples that arrived in addition to the nominal rate, and those that were read.
  private(set) var (arrived, taken) = (0.0, 0.0)

  var level: Double { arrived - taken }

  init(level: Double = 0) { arrived = level }

  /// A second passes.
  mutating func pass(partsPerMillion: Double = 0, jitter: Double = 0, step: Double = 0) {
    arrived += Self.rate * partsPerMillion * 1e-6 + step
    taken += Self.rate * controller.deviation * 1e-6
    arrivals.add(lead: arrived + jitter)
    controller.update(level: level + jitter, target: 0, drift: arrivals.drift)
  }
}

struct RateControllerTests {
  private static let off = RateController.off * ControlledLevel.rate

  /// Returns the level of a buffer between two clocks after each second.
  private func levels(partsPerMillion: Double, seconds: Int, start: Double = 0) -> [Double] {
    var buffer = ControlledLevel(level: start)
    return (0..<seconds).map { _ in
      buffer.pass(partsPerMillion: partsPerMillion)
      return buffer.level
    }
  }

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
    var buffer = ControlledLevel()
    for _ in 0..<120 {
      let jitter = Double.random(in: -24...24, using: &generator)
      buffer.pass(partsPerMillion: partsPerMillion, jitter: jitter)
    }
    let drift = buffer.arrivals.drift
    #expect(abs(drift - partsPerMillion) < 40, "\(drift)")
  }

  /// Without drift the rate stays the same, whatever the jitter, because each change of the rate
  /// changes the echo path.
  @Test func theRateStaysConstant() {
    var generator = SeededGenerator(seed: 9)
    var buffer = ControlledLevel(level: 60)
    var rates: Set<Double> = []
    for _ in 0..<300 {
      // The jitter is at most 1 ms.
      buffer.pass(jitter: Double.random(in: -48...48, using: &generator))
      rates.insert(buffer.controller.deviation)
    }
    #expect(rates.count <= 3 && rates.allSatisfy { abs($0) < 40 }, "\(rates)")
  }

  /// At a start, the buffer still settles.
  @Test func aSettlingLevelDoesNotCountAsDrift() {
    var arrivals = ArrivalDrift(rate: 48000)
    var drifts: Set<Double> = []
    for lead in [300.0, 150, 60, 60, -20, 40, 10, 60, 20, 30, -40, 0, 50, -30, 20, 10, 0, 20] {
      arrivals.add(lead: lead)
      drifts.insert(arrivals.drift)
    }
    #expect(drifts == [0], "\(drifts)")
  }

  /// A sound server that takes one more block than before causes such a step.
  @Test(arguments: [8, 12, 30])
  func aStepOfTheLevelDoesNotCountAsDrift(at second: Int) {
    var buffer = ControlledLevel()
    var drifts: Set<Double> = []
    for index in 0..<300 {
      buffer.pass(step: index == second ? 480 : 0)
      drifts.insert(buffer.arrivals.drift)
    }
    #expect(drifts == [0], "\(drifts)")
    #expect(abs(buffer.level) < Self.off)
  }

  @Test func theRateIsBounded() {
    var buffer = ControlledLevel()
    for _ in 0..<100 { buffer.pass(step: 1e6) }
    let deviation = buffer.controller.deviation
    #expect(abs(deviation) <= ArrivalDrift.largestDrift + RateController.correction)
  }

  @Test func theDriftIsKeptWhenSamplesWereLost() {
    var arrivals = ArrivalDrift(rate: 48000)
    for second in 0..<60 { arrivals.add(lead: 4.8 * Double(second)) }
    let before = arrivals.drift
    arrivals.interrupt()
    for second in 60..<90 { arrivals.add(lead: 4.8 * Double(second) - 50_000) }
    let after = arrivals.drift
    #expect(abs(before - 100) < 1 && after == before, "\(before) \(after)")
  }
}
