import Testing

@testable import VoiceEdge

struct LatencyMeterTests {
  @Test func theLatencyOfTheCaptureIsTheTimeFromTheFirstSampleToTheSending() {
    var meter = LatencyMeter()
    meter.recordSent(0, captured: 1_000_000_000, now: 1_012_000_000)
    #expect(meter.shares.capture == 12)
  }

  @Test(arguments: [
    (200, 200), (2400, 2400), (2540, 2500), (2570, 2500), (5000, 2500), (60_000, 2500),
  ])
  func anAnswerThatIsVeryLateIsShownAsTheLongestLatency(lateness: Int64, shown: Double) {
    var meter = LatencyMeter()
    for index in 0..<10_000 as Range<Int64> {
      let now = (index + 1) * 10_000_000
      meter.recordSent(index, captured: now, now: now)
      let answered = index - lateness / 10
      if answered >= 0 { meter.recordReceived(answered, now: now) }
      if answered >= 300 { #expect(abs(meter.shares.server - shown) < 1) }
    }
  }

  @Test func aLatencyThatBecomesShortAgainIsShown() {
    var meter = LatencyMeter()
    for index in 0..<1000 as Range<Int64> {
      let now = (index + 1) * 10_000_000
      meter.recordSent(index, captured: now, now: now)
      meter.recordReceived(index < 500 ? max(0, index - 400) : index - 5, now: now)
    }
    #expect(abs(meter.shares.server - 50) < 5, "\(meter.shares.server)")
  }

  @Test func samplesThatCameBeforeTheirTimeHaveTheLatencyOfAFrame() {
    var meter = LatencyMeter()
    for index in 0..<100 as Range<Int64> {
      let captured = index * 10_000_000 + 1_000_000_000
      meter.recordSent(index, captured: captured, now: captured - 11_000_000)
    }
    #expect(meter.shares.capture == 10 && meter.shares.total == 10)
  }
}
