import EdgeAudio
import TestAudio
import Testing

struct BackoffTests {
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func eachWaitIsBetweenAHalfAndTheWholeOfADoublingTime(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var backoff = Backoff(from: .milliseconds(100), to: .seconds(5))
    var whole = Duration.milliseconds(100)
    for _ in 0..<12 {
      let wait = backoff.next(&generator)
      #expect(wait >= whole / 2 && wait <= whole)
      whole = min(whole * 2, .seconds(5))
    }
  }

  @Test func afterASuccessItBeginsShortAgain() {
    var backoff = Backoff(from: .milliseconds(100), to: .seconds(5))
    for _ in 0..<10 { _ = backoff.next() }
    backoff.reset()
    let wait = backoff.next()
    #expect(wait <= .milliseconds(100))
  }

  @Test func twoThatFailedTogetherDoNotTryInStep() {
    var (one, other) = (SeededGenerator(seed: 1), SeededGenerator(seed: 2))
    var first = Backoff(from: .milliseconds(100), to: .seconds(5))
    var second = first
    let waits = (0..<5).map { _ in (first.next(&one), second.next(&other)) }
    #expect(waits.allSatisfy { $0.0 != $0.1 })
  }

  @Test func theDelayStaysFinite() {
    var backoff = Backoff(from: .milliseconds(100), to: .seconds(5))
    for _ in 0..<1000 {
      let wait = backoff.next()
      #expect(wait >= .milliseconds(50) && wait <= .seconds(5))
    }
  }
}
