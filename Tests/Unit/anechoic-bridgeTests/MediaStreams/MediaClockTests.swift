import Testing

@testable import anechoic_bridge

/// The times of media tell how much sound was lost.
struct MediaClockTests {
  /// Returns a clock that has heard ten blocks of 20 ms, up to 200 ms.
  private static func settled() -> MediaClock {
    var clock = MediaClock(rate: 8000)
    for block in 0..<10 { _ = clock.lost(before: 20 * block, 160) }
    return clock
  }

  @Test func aGapIsLostSound() {
    var clock = Self.settled()
    #expect(clock.lost(before: 200, 160) == 0)
    #expect(clock.lost(before: 260, 160) == 320)
    #expect(clock.lost(before: 280, 160) == 0)
  }

  /// 11, 13, 12, 14: the sound that comes late was counted as lost.
  @Test func lateSoundWasNotLost() {
    var clock = Self.settled()
    #expect(clock.lost(before: 220, 160) == 160)
    #expect(clock.lost(before: 200, 160) == -160)
    #expect(clock.lost(before: 240, 160) == 0)
  }

  /// A provider that takes its times from a clock.
  @Test func aTimeThatWasLateOnceCountsAsNothing() {
    var clock = Self.settled()
    #expect(clock.lost(before: 215, 160) == 120)
    #expect(clock.lost(before: 220, 160) == -120)
    #expect(clock.lost(before: 240, 160) == 0)
  }

  /// Sound that has been lost for a second does not come any more.
  @Test func soundThatWasLostLongAgoIsNotGivenBack() {
    var clock = Self.settled()
    #expect(clock.lost(before: 220, 160) == 160)
    for block in 12..<80 { #expect(clock.lost(before: 20 * block, 160) == 0) }
    #expect(clock.lost(before: 1580, 160) == nil)
  }

  @Test(arguments: [Int.min, Int.max, -1, 1 << 40])
  func timesThatAreNoneTellNothing(time: Int) {
    var clock = Self.settled()
    #expect(clock.lost(before: time, 160) == nil)
    for block in 20..<26 { _ = clock.lost(before: 20 * block, 160) }
    #expect(clock.lost(before: 520, 160) == 0)
  }
}
