import Testing

@testable import anechoic_bridge

/// The sound of an upstream as a client plays it.
struct PlaybackLineTests {
  private static func source(_ item: String) -> PlaybackLine.Source {
    PlaybackLine.Source(item: item, contentIndex: 0)
  }

  @Test func itemsArePlayedOneAfterAnother() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    line.append([1, 2], of: Self.source("a"))
    line.append([3], of: Self.source("a"))
    line.append([4, 5], of: Self.source("b"))
    #expect(line.seconds == 0.005)
    let taken = [line.pop(2, now: now), line.pop(2, now: now), line.pop(3, now: now)]
    #expect(taken == [[1, 2], [3, 4], [5, 0, 0]])
    #expect(line.isEmpty)
  }

  @Test func aStopTellsHowMuchOfEachItemWasPlayed() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    line.append([Int16](repeating: 1, count: 10), of: Self.source("done"))
    line.append([Int16](repeating: 1, count: 300), of: Self.source("a"))
    _ = line.pop(110, now: now)
    line.append([Int16](repeating: 1, count: 100), of: Self.source("a"))
    line.append([Int16](repeating: 1, count: 5), of: Self.source("b"))
    let stopped = line.stop()
    #expect(stopped.map(\.source.item) == ["a", "b"] && stopped.map(\.played) == [100, 0])
    #expect(line.isEmpty && line.stop().isEmpty)
  }

  @Test func anItemThatWasPlayedCompletelyIsNotStopped() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    line.append([1, 2, 3], of: Self.source("a"))
    _ = line.pop(10, now: now)
    #expect(line.stop().isEmpty)
    // More of it counts from where it was.
    line.append([1, 2, 3], of: Self.source("b"))
    _ = line.pop(3, now: now)
    line.append([4, 5, 6], of: Self.source("b"))
    _ = line.pop(1, now: now)
    #expect(line.stop().map(\.played) == [4])
  }

  @Test func theClockTakesThePlaceOfAMicrophoneThatDoesNotCome() {
    var now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    _ = line.pop(10, now: now)
    line.append([Int16](repeating: 1, count: 2000), of: Self.source("a"))
    for _ in 0..<40 {
      now += .milliseconds(10)
      line.advance(now: now)
    }
    // Until half a second, the sound may only be held up.
    #expect(line.seconds == 2)
    for _ in 0..<60 {
      now += .milliseconds(10)
      line.advance(now: now)
    }
    #expect(abs(line.seconds - 1) < 0.02)
    _ = line.pop(100, now: now)
    for _ in 0..<20 {
      now += .milliseconds(10)
      line.advance(now: now)
    }
    #expect(abs(line.seconds - 0.9) < 0.02)
  }

  /// A microphone that comes in blocks of a second has no pause between two blocks.
  @Test func theClockOfTheBridgeWaitsForLongBlocks() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    line.append([Int16](repeating: 1, count: 5000))
    line.advance(now: now + .milliseconds(1200), blocks: .seconds(1))
    #expect(line.seconds == 5)
    line.advance(now: now + .milliseconds(1300), blocks: .seconds(1))
    #expect(line.seconds < 4)
  }

  /// A bridge that stood still for hours, such as in a machine that slept.
  @Test func aLongPauseKeepsTenSeconds() {
    var now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, keepsPauses: true, now: now)
    line.append([1, 2, 3])
    now += .seconds(36_000)
    line.advance(now: now)
    #expect(line.isEmpty)
    #expect(line.catchUp(36_000_000, returning: 500, now: now) == [Int16](repeating: 0, count: 500))
  }

  @Test func soundThatComesAfterAllHasNoReferenceOfItsOwn() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    line.append([1, 2, 3, 4])
    #expect(line.pop(3, owed: 2, now: now) == [0, 0, 1])
    #expect(line.pop(3, owed: 0, now: now) == [2, 3, 4])
  }

  /// The answer begins 0.4 s after the microphone has paused.
  @Test(arguments: [false, true])
  func anAnswerThatBeginsInAPauseIsNotPlayedBeforeItCame(keepsPauses: Bool) {
    var now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, keepsPauses: keepsPauses, now: now)
    _ = line.pop(10, now: now)
    for step in 0..<60 {
      now += .milliseconds(10)
      line.advance(now: now)
      if step == 39 { line.append([Int16](repeating: 1, count: 2000), of: Self.source("a")) }
    }
    #expect(abs(line.seconds - 1.8) < 0.015)
    guard keepsPauses else { return }
    let back = line.catchUp(600, returning: 600, now: now)
    #expect(back.count == 600 && back.prefix(390).allSatisfy { $0 == 0 })
    #expect(back.suffix(190).allSatisfy { $0 == 1 })
  }

  /// Hold music may come at once. Of what is more than five minutes ahead, only the length is kept.
  @Test func soundThatIsFarAheadIsSilence() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 10, now: now)
    for minute in 1...7 {
      line.append([Int16](repeating: Int16(minute), count: 600), of: Self.source("a"))
    }
    #expect(line.seconds == 420)
    #expect(line.pop(1800, now: now).last == 3)
    // There is room again.
    line.append([Int16](repeating: 8, count: 600), of: Self.source("a"))
    line.append([Int16](repeating: 9, count: 600), of: Self.source("a"))
    let rest = line.pop(1800, now: now)
    #expect(rest.prefix(1200).allSatisfy { $0 == 4 || $0 == 5 })
    #expect(rest.suffix(600).allSatisfy { $0 == 0 })
    let rate = line.pop(900, now: now)
    #expect(rate.prefix(600).allSatisfy { $0 == 0 } && rate.suffix(300).allSatisfy { $0 == 8 })
    let stopped = line.stop()
    #expect(stopped.map(\.played) == [4500])
  }

  // MARK: A microphone that comes in blocks

  /// Lets the microphone come in messages of `length`, `burst` of them at a time, while answers of
  /// 2 s come at these times. Everything is in ms. Returns the reference.
  private static func reference(
    messages length: Int, burst: Int = 1, answers: [Int], until end: Int,
    losing lost: ClosedRange<Int>? = nil
  ) -> [Int16] {
    let start = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: start)
    var reference: [Int16] = []
    for time in 1...end {
      let now = start + .milliseconds(time)
      if answers.contains(time) {
        line.append([Int16](repeating: 1000, count: 2000), of: source("\(time)"), at: now)
      }
      guard time % (length * burst) == 0, lost?.contains(time) != true else { continue }
      for _ in 0..<burst { reference += line.pop(length, now: now) }
    }
    return reference
  }

  /// Each answer begins with the sample that the client took when it came, wherever in a block that
  /// is.
  @Test(arguments: [(20, 1), (20, 8), (170, 1), (341, 1)])
  func answersBeginWithTheMicrophoneOfTheirTime(length: Int, burst: Int) {
    let answers = [3010, 6100, 9190, 12_333]
    let reference = Self.reference(
      messages: length, burst: burst, answers: answers, until: 16_000)
    let begins = reference.indices.filter {
      reference[$0] != 0 && ($0 == 0 || reference[$0 - 1] == 0)
    }
    #expect(begins.count == 4)
    for (begin, answer) in zip(begins, answers) { #expect(abs(begin - answer) <= 1) }
  }

  /// Sound of an answer that comes before the rest has been played follows it without a gap.
  @Test func theRestOfAnAnswerFollowsWithoutAGap() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    _ = line.pop(100, now: now + .milliseconds(100))
    for piece in 0..<5 {
      let time = now + .milliseconds(150 + 10 * piece)
      line.append([Int16](repeating: 1, count: 40), of: Self.source("a"), at: time)
    }
    let reference = line.pop(300, now: now + .milliseconds(400))
    #expect(
      reference == [Int16](repeating: 0, count: 50) + [Int16](repeating: 1, count: 200)
        + [Int16](repeating: 0, count: 50))
  }

  /// Sound that was lost leaves the microphone behind its time. Some seconds later, that counts no
  /// more.
  @Test func lostSoundIsForgotten() {
    let reference = Self.reference(
      messages: 20, answers: [3000, 12_000], until: 16_000, losing: 6001...6400)
    let second = reference.indices.last { reference[$0] != 0 && reference[$0 - 1] == 0 }
    #expect(abs((second ?? 0) - 11_600) <= 1)
  }

  @Test func anAnswerWaitsForTwoSecondsAtMost() {
    let now = ContinuousClock.now
    var line = PlaybackLine(rate: 1000, now: now)
    _ = line.pop(100, now: now + .milliseconds(100))
    line.append([1], at: now + .seconds(60))
    #expect(line.pop(3000, now: now + .seconds(60)).firstIndex(of: 1) == 2000)
  }
}
