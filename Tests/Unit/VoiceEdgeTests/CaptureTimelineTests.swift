import Testing

@testable import VoiceEdge

struct CaptureTimelineTests {
  private static let ms: Int64 = 1_000_000

  @Test func framesThatFollowEachOtherMissNothing() {
    var timeline = CaptureTimeline(now: 0)
    for index in 0..<1000 {
      // The times vary by 14 ms.
      let wander = Int64(index % 15) * Self.ms - 7 * Self.ms
      let verdict = timeline.arrived(at: Int64(index) * 10 * Self.ms + wander)
      #expect(verdict == .next(missing: 0))
    }
  }

  @Test func aClockThatDriftsMissesNothing() {
    var timeline = CaptureTimeline(now: 0)
    for index in 0..<100_000 {
      let verdict = timeline.arrived(at: Int64(index) * 10_005_000)
      guard verdict == .next(missing: 0) else {
        Issue.record("\(verdict) at \(index)")
        return
      }
    }
  }

  @Test func missingFramesAreReported() {
    var timeline = CaptureTimeline(now: 0)
    _ = timeline.arrived(at: 0)
    var verdict = timeline.arrived(at: 50 * Self.ms)
    #expect(verdict == .next(missing: 40 * Self.ms))
    verdict = timeline.arrived(at: 60 * Self.ms)
    #expect(verdict == .next(missing: 0))
  }

  @Test func aFrameWhoseTimeHasPassedIsTooLate() {
    var timeline = CaptureTimeline(now: 0)
    _ = timeline.arrived(at: 100 * Self.ms)
    var verdict = timeline.arrived(at: 90 * Self.ms)
    #expect(verdict == .tooLate)
    verdict = timeline.arrived(at: 110 * Self.ms)
    #expect(verdict == .next(missing: 0))
  }

  @Test func aFrameIsGivenUpSixtyMillisecondsAfterItsEnd() {
    var timeline = CaptureTimeline(now: 0)
    var givesUp = timeline.givesUp(now: 70 * Self.ms)
    #expect(!givesUp)
    givesUp = timeline.givesUp(now: 71 * Self.ms)
    #expect(givesUp)
    givesUp = timeline.givesUp(now: 71 * Self.ms)
    #expect(!givesUp)
    var count = 0
    while timeline.givesUp(now: 1071 * Self.ms) { count += 1 }
    #expect(count == 100)
  }

  @Test func withoutADeviceAFrameIsGivenUpSoon() {
    var timeline = CaptureTimeline(now: 0)
    var givesUp = timeline.givesUp(now: 15 * Self.ms, hasDevice: false)
    #expect(!givesUp)
    givesUp = timeline.givesUp(now: 16 * Self.ms, hasDevice: true)
    #expect(!givesUp)
    givesUp = timeline.givesUp(now: 16 * Self.ms, hasDevice: false)
    #expect(givesUp)
  }

  @Test(arguments: [1, 3, 9] as [Int64])
  func afterAGapTheFirstFrameHasItsExactPosition(offset: Int64) {
    var timeline = CaptureTimeline(now: 0)
    while timeline.givesUp(now: 200 * Self.ms) {}
    let end = timeline.expected
    var verdict = timeline.arrived(at: end - offset * Self.ms)
    #expect(verdict == .tooLate)
    verdict = timeline.arrived(at: end + (10 - offset) * Self.ms)
    #expect(verdict == .next(missing: (10 - offset) * Self.ms))
    // From then on the times may vary again.
    verdict = timeline.arrived(at: end + (20 - offset + 5) * Self.ms)
    #expect(verdict == .next(missing: 0))
  }

  @Test func aFrameThatWasGivenUpIsTooLate() {
    var timeline = CaptureTimeline(now: 0)
    while timeline.givesUp(now: 200 * Self.ms) {}
    var verdict = timeline.arrived(at: 100 * Self.ms)
    #expect(verdict == .tooLate)
    verdict = timeline.arrived(at: 150 * Self.ms)
    #expect(verdict == .next(missing: 10 * Self.ms) || verdict == .next(missing: 20 * Self.ms))
  }
}
