import Testing

@testable import VoiceServer

/// The output that is kept for a slow reader, on a virtual clock.
struct OutputBacklogTests {
  private let start = ContinuousClock.now
  private var backlog = OutputBacklog()

  @Test mutating func aReaderThatDoesNotReadHasASecondKeptForIt() {
    #expect(backlog.limit(afterAdding: 100, now: start) == nil)
    #expect(backlog.limit(afterAdding: 101, now: start) == nil)
    #expect(backlog.limit(afterAdding: 3000, now: start + .milliseconds(500)) == nil)
    #expect(backlog.limit(afterAdding: 3001, now: start + .milliseconds(501)) == 100)
    #expect(backlog.limit(afterAdding: 101, now: start + .milliseconds(510)) == 100)
    // The reader has caught up, so the time limit starts again.
    #expect(backlog.limit(afterAdding: 100, now: start + .milliseconds(520)) == nil)
    #expect(backlog.limit(afterAdding: 101, now: start + .seconds(9)) == nil)
  }

  @Test mutating func aReaderThatStaysBehindContinuesWithTheLatestAudio() {
    for tenth in 0...10 {
      #expect(backlog.limit(afterTaking: 90, now: start + .milliseconds(100 * tenth)) == nil)
    }
    #expect(backlog.limit(afterTaking: 90, now: start + .milliseconds(1001)) == 20)
    #expect(backlog.limit(afterTaking: 20, now: start + .milliseconds(1010)) == nil)
  }

  @Test mutating func aReaderThatStalledMayReadWhatWasKept() {
    #expect(backlog.limit(afterTaking: 90, now: start) == nil)
    // The reader takes nothing for four seconds, and then everything.
    for waiting in (0..<100).reversed() {
      let time = start + .seconds(4) + .milliseconds(9) * (100 - waiting)
      #expect(backlog.limit(afterTaking: waiting, now: time) == nil)
    }
  }
}
