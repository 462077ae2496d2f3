import Testing

@testable import VoiceServer

/// What is kept for a slow reader, by a clock of its own.
struct OutputBacklogTests {
  private let start = ContinuousClock.now
  private var backlog = OutputBacklog()

  @Test mutating func aReaderThatDoesNotReadHasASecondKeptForIt() {
    #expect(backlog.limit(afterAdding: 100, now: start) == nil)
    #expect(backlog.limit(afterAdding: 101, now: start) == nil)
    #expect(backlog.limit(afterAdding: 3000, now: start + .milliseconds(500)) == nil)
    #expect(backlog.limit(afterAdding: 3001, now: start + .milliseconds(501)) == 100)
    #expect(backlog.limit(afterAdding: 101, now: start + .milliseconds(510)) == 100)
    // It has caught up: the patience begins anew.
    #expect(backlog.limit(afterAdding: 100, now: start + .milliseconds(520)) == nil)
    #expect(backlog.limit(afterAdding: 101, now: start + .seconds(9)) == nil)
  }

  @Test mutating func aReaderThatStaysBehindGoesOnWithTheLatest() {
    for tenth in 0...10 {
      #expect(backlog.limit(afterTaking: 90, now: start + .milliseconds(100 * tenth)) == nil)
    }
    #expect(backlog.limit(afterTaking: 90, now: start + .milliseconds(1001)) == 20)
    #expect(backlog.limit(afterTaking: 20, now: start + .milliseconds(1010)) == nil)
  }

  @Test mutating func aReaderThatStalledMayReadWhatWasKept() {
    #expect(backlog.limit(afterTaking: 90, now: start) == nil)
    // Nothing is taken for four seconds, then all of it.
    for waiting in (0..<100).reversed() {
      let time = start + .seconds(4) + .milliseconds(9) * (100 - waiting)
      #expect(backlog.limit(afterTaking: waiting, now: time) == nil)
    }
  }
}
