import Testing

@testable import anechoic_bridge

/// The rules that keep a telephone call in time.
struct MissingAudioTests {
  private static let block = 0.02
  private let start = ContinuousClock.now

  /// Lets an exchange send for a minute, all but `lost`. `delay` is that of a block in ms, by its
  /// number. Returns the blocks that are replaced and those that are left out afterwards, and the most by
  /// which the audio is behind, in blocks.
  private func replaced(
    losing lost: (Int) -> Bool, clock: Double = 1, delay: (Int) -> Int = { _ in 0 }
  ) -> (count: Int, leftOut: Int, behind: Int) {
    var missing = MissingAudio()
    var (count, leftOut, total, behind) = (0, 0, 0, 0)
    var now = start
    for block in 0..<3000 where !lost(block) {
      let sent = start + .seconds(Double(block) * Self.block * clock)
      now = max(now, sent + .milliseconds(delay(block)))
      guard missing.came(Self.block, at: now) else {
        leftOut += 1
        continue
      }
      while missing.takes(Self.block) { count += 1 }
      total += 1
      behind = max(behind, block + 1 - total - count)
    }
    return (count, leftOut, behind)
  }

  @Test(arguments: [7, 20, 100])
  func lostBlocksAreReplaced(every: Int) {
    let result = replaced { $0 % every == every - 1 }
    #expect(abs(result.count - 3000 / every) <= 6 && result.behind <= 6)
  }

  /// Blocks that only come late, and in groups of four.
  @Test func lateBlocksAreNotReplaced() {
    #expect(replaced(losing: { _ in false }, delay: { 20 * (3 - $0 % 4) }).count == 0)
    #expect(replaced(losing: { _ in false }, delay: { $0 * 7 % 19 }).count == 0)
  }

  /// A network that is slower for some seconds, again and again.
  @Test func whatWasOnlyLateIsLeftOut() {
    let result = replaced(losing: { _ in false }, delay: { $0 / 250 % 2 == 0 ? 0 : 60 })
    #expect(result.count > 3 && (0...3).contains(result.count - result.leftOut))
  }

  @Test func aSlowClockLosesNothing() {
    #expect(replaced(losing: { _ in false }, clock: 1.0002).count == 0)
  }

  /// Lets audio be played in real time while so much of it waits, in seconds. Returns the time
  /// after which silence is left out, in blocks.
  private func shortened(waiting: Double, isSilence: (Int) -> Bool, isFull: Bool = false) -> Int? {
    var backlog = PlaybackBacklog()
    return (0..<500).first { block in
      backlog.played(
        Self.block, isSilence: isSilence(block), waiting: waiting, isFull: isFull,
        at: start + .milliseconds(20 * block))
    }
  }

  @Test func aBacklogThatStaysBecomesShorterInItsSilence() {
    #expect(shortened(waiting: 0.06, isSilence: { _ in true }) == 100)
    #expect(shortened(waiting: 0.04, isSilence: { _ in true }) == nil)
    // Pauses between words are shorter than those between sentences.
    #expect(shortened(waiting: 0.5, isSilence: { $0 % 12 < 8 }) == nil)
    #expect(shortened(waiting: 0.5, isSilence: { $0 >= 200 }) == 210)
    // An application that sends more than there is room for does not send in real time.
    #expect(shortened(waiting: 0.5, isSilence: { _ in true }, isFull: true) == nil)
  }

  @Test func onlySilenceIsLeftOut() {
    var queue = PlaybackQueue()
    queue.append([0, 0, 32, 0, 33, 0])
    let skipped = [queue.skipSilence(4), queue.skipSilence(2), queue.skipSilence(4)]
    #expect(skipped == [true, false, false] && queue.pop(2) == [33, 0])
  }

  @Test(arguments: [(1, 0), (2, 1), (3, 0)])
  func audioOfHalfItsTimeIsNoticedOnce(divisor: Int, times: Int) {
    var length = AudioLength()
    let noticed = (0..<500).count { block in
      length.isHalf(after: 0.02 / Double(divisor), at: start + .milliseconds(20 * block))
    }
    #expect(noticed == times)
  }
}
