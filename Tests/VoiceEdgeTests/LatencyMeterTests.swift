import Testing

@testable import VoiceEdge

struct LatencyMeterTests {
  @Test func theLatencyOfTheCaptureIsTheTimeFromTheFirstSampleToTheSending() {
    var meter = LatencyMeter()
    meter.noteSent(0, captured: 1_000_000_000, now: 1_012_000_000)
    #expect(meter.shares.capture == 12)
  }

  @Test func samplesThatCameBeforeTheirTimeHaveTheLatencyOfAFrame() {
    var meter = LatencyMeter()
    for index in 0..<100 as Range<Int64> {
      let captured = index * 10_000_000 + 1_000_000_000
      meter.noteSent(index, captured: captured, now: captured - 11_000_000)
    }
    #expect(meter.shares.capture == 10 && meter.shares.total == 10)
  }
}
