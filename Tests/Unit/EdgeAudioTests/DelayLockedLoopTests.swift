import EdgeAudio
import TestAudio
import Testing

/// The loop with buffers of 10 ms that arrive with jitter, from a clock that deviates.
struct DelayLockedLoopTests {
  private static let rate = 48000.0

  /// Returns the remaining jitter and the estimated rate after each buffer, for `seconds` of
  /// buffers.
  private func follow(
    partsPerMillion: Double, jitter: Double, seconds: Double,
    _ body: (_ time: Double, _ error: Double, _ rate: Double) -> Void
  ) {
    var generator = SeededGenerator(seed: 7)
    var loop = DelayLockedLoop(rate: Self.rate)
    let period = 480 / (Self.rate * (1 + partsPerMillion * 1e-6))
    for buffer in 0..<Int(seconds * 100) {
      let true_ = 1000 + Double(buffer) * period
      loop.update(samples: 480, now: true_ + Double.random(in: 0...jitter, using: &generator))
      body(Double(buffer) / 100, loop.time(of: loop.sampleCount) - true_, loop.rate)
    }
  }

  @Test func jitterOfTenMillisecondsIsSmoothedToHalfAMillisecond() {
    var errors: [Double] = []
    follow(partsPerMillion: 0, jitter: 0.010, seconds: 120) { time, error, _ in
      if time > 30 { errors.append(error) }
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    let wander = errors.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(errors.count)
    #expect(wander.squareRoot() < 0.0005, "\(wander.squareRoot())")
    // The loop follows the middle of the jitter.
    #expect(abs(mean - 0.005) < 0.001, "\(mean)")
  }

  @Test(arguments: [-500.0, 0, 500])
  func theRateOfTheClockIsFound(partsPerMillion: Double) {
    var last = 0.0
    var rates: [Double] = []
    follow(partsPerMillion: partsPerMillion, jitter: 0.001, seconds: 120) { time, error, rate in
      last = error
      if time > 90 { rates.append((rate / Self.rate - 1) * 1e6) }
    }
    let found = rates.reduce(0, +) / Double(rates.count)
    #expect(abs(found - partsPerMillion) < 30, "\(found)")
    #expect(abs(last) < 0.002)
  }

  @Test func anImpossibleRateIsNotFollowed() {
    var rates: [Double] = []
    follow(partsPerMillion: 50_000, jitter: 0, seconds: 20) { _, _, rate in rates.append(rate) }
    #expect(rates.allSatisfy { abs($0 / Self.rate - 1) <= 0.0021 })
  }

  @Test func earlySamplesAreReportedBeforeTheLoopAdvances() {
    var loop = DelayLockedLoop(rate: Self.rate)
    #expect(loop.error(of: 480, now: 55) == 0)
    for buffer in 0...100 { loop.update(samples: 480, now: Double(buffer) / 100) }
    #expect(abs(loop.error(of: 480, now: 1.01)) < 1e-6)
    #expect(abs(loop.error(of: 480, now: 0.96) + 0.05) < 1e-3)
  }

  @Test func aRestartFollowsANewTimeAndKeepsTheRate() {
    var loop = DelayLockedLoop(rate: Self.rate)
    for buffer in 0..<6000 { loop.update(samples: 480, now: Double(buffer) * 0.010005) }
    let rate = loop.rate
    loop.restart()
    loop.update(samples: 480, now: 5000)
    #expect(loop.rate == rate)
    #expect(loop.time(of: loop.sampleCount) == 5000)
    #expect(abs(loop.time(of: loop.sampleCount - 480) - (5000 - 0.010005)) < 1e-6)
  }
}
