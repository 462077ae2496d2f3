import AudioCore
import Testing

@testable import VoiceSessions

struct InjectionQueueTests {
  /// A reader of an injection queue, frame by frame.
  private final class Listener {
    var queue = InjectionQueue(processed: .hz16000, playback: .hz48000)
    private(set) var journal: [String] = []
    /// The first sample of each frame, or nil if nothing is heard.
    private(set) var heard: [Float?] = []

    func begin(
      _ id: String, by client: String = "client", frames: Int = 0, of value: Float = 0,
      complete: Bool = false
    ) throws {
      try queue.add(id, client: client)
      append(id, frames: frames, of: value)
      queue[id]?.isComplete = complete
    }

    func injection(_ id: String) -> Injection? { queue[id] }

    func append(_ id: String, frames: Int, of value: Float) {
      queue[id]?.append(
        InjectedSpeech(
          processed: [Float](repeating: value, count: 160 * frames),
          playback: [Float](repeating: value, count: 480 * frames)))
    }

    func advance(_ frames: Int = 1, isResting: Bool = false) {
      for _ in 0..<frames {
        queue.advance(isResting: isResting, record)
        // Uses the last sample of the frame, because missing audio begins with a fade.
        let (processed, playback) = (queue.processed.plane(0)[159], queue.playback.plane(0)[479])
        if queue.isHeard, processed != playback { journal.append("outputs differ") }
        heard.append(queue.isHeard ? processed : nil)
      }
    }

    func record(_ progress: InjectionQueue.Progress) {
      journal.append("\(progress.injection.id) \(progress.state)")
    }
  }

  @Test func twoInjectorsAreHeardOneAfterTheOther() throws {
    let listener = Listener()
    try listener.begin("a", frames: 2, of: 0.1, complete: true)
    try listener.begin("b", frames: 2, of: 0.2, complete: true)
    listener.advance(6)
    // The last one fades out, because it does not end with silence.
    #expect(listener.heard == [0.1, 0.1, 0.2, 0.2, 0, nil])
    #expect(listener.journal == ["a started", "a finished", "b started", "b finished"])
    #expect(listener.injection("a") == nil && listener.injection("b") == nil)
  }

  /// Neither speech of another client goes on where this one ends, nor one that has no samples yet.
  @Test(arguments: [("other", 2), ("client", 0)])
  func speechFadesOutBeforeAnotherOne(client: String, frames: Int) throws {
    let listener = Listener()
    try listener.begin("a", frames: 2, of: 0.1, complete: true)
    try listener.begin("b", by: client, frames: frames, of: 0.2)
    listener.advance(3)
    #expect(listener.heard == [0.1, 0.1, 0])
    listener.append("b", frames: 1, of: 0.2)
    listener.advance()
    #expect(listener.heard.last == 0.2)
    #expect(listener.journal == ["a started", "a finished", "b started"])
  }

  @Test func aPauseOfItsClientIsSilence() throws {
    let listener = Listener()
    try listener.begin("a", frames: 1, of: 0.1)
    listener.advance(3)
    listener.append("a", frames: 1, of: 0.3)
    listener.queue["a"]?.isComplete = true
    listener.advance(2)
    #expect(listener.heard == [0.1, 0, 0, 0.3, 0])
    #expect(listener.journal == ["a started", "a finished"])
  }

  @Test func anInjectionCancelledBeforeItsStartIsNotHeard() throws {
    let listener = Listener()
    try listener.begin("a", frames: 1, of: 0.1, complete: true)
    try listener.begin("b", frames: 1, of: 0.2, complete: true)
    listener.queue.cancel("b", listener.record)
    #expect(listener.journal == ["b cancelled"])
    listener.advance(3)
    #expect(listener.heard == [0.1, 0, nil])
    #expect(listener.journal == ["b cancelled", "a started", "a finished"])
  }

  @Test func anInjectionCancelledWhileHeardFadesOutInOneFrame() throws {
    let listener = Listener()
    try listener.begin("a", frames: 10, of: 0.1)
    listener.advance(2)
    #expect(listener.queue.lastGain == 1)
    listener.queue.cancel("a", listener.record)
    // Also where no frame follows, because the microphone has stopped.
    listener.queue.cancel("a", listener.record)
    #expect(listener.journal == ["a started", "a cancelled"])
    // Its id is free.
    try listener.begin("a")
    listener.advance()
    #expect(listener.queue.lastGain == 0 && listener.queue.isHeard)
    #expect(listener.journal == ["a started", "a cancelled"])
    listener.advance()
    let isHeard = listener.queue.isHeard
    #expect(!isHeard)
    listener.queue.cancel("a", listener.record)
    #expect(listener.journal == ["a started", "a cancelled", "a cancelled"])
  }

  @Test func theNextOneIsHeardInFullAfterACancelledOne() throws {
    let listener = Listener()
    try listener.begin("a", frames: 10, of: 0.1)
    try listener.begin("b", frames: 1, of: 0.2, complete: true)
    listener.advance()
    listener.queue.cancel("a", listener.record)
    listener.advance(3)
    #expect(listener.heard == [0.1, 0.1, 0.2, 0] && listener.queue.lastGain == 1)
    #expect(listener.journal == ["a started", "a cancelled", "b started", "b finished"])
  }

  @Test func aStalledInjectionGivesWay() throws {
    let listener = Listener()
    try listener.begin("silent")
    try listener.begin("next", frames: 1, of: 0.2, complete: true)
    listener.advance(Injection.longestPauseFrames - 1)
    #expect(listener.journal.isEmpty)
    listener.append("silent", frames: 1, of: 0.1)
    listener.advance(Injection.longestPauseFrames)
    #expect(listener.journal == ["silent started"])
    listener.advance(3)
    #expect(
      listener.journal == ["silent started", "silent cancelled", "next started", "next finished"])
  }

  @Test func speechRestsWithAFadeOnBothSides() throws {
    let listener = Listener()
    try listener.begin("a", frames: 4, of: 0.1, complete: true)
    listener.advance()
    listener.advance(isResting: true)
    #expect(listener.queue.firstGain == 1 && listener.queue.lastGain == 0)
    listener.advance(2, isResting: true)
    #expect(listener.heard == [0.1, 0.1, nil, nil])
    listener.advance()
    #expect(listener.queue.firstGain == 0 && listener.queue.lastGain == 1)
    listener.advance()
    #expect(listener.queue.firstGain == 1)
    listener.advance(2)
    #expect(listener.heard.suffix(4) == [0.1, 0.1, 0, nil])
    #expect(listener.journal == ["a started", "a finished"])
  }

  @Test func noInjectionBeginsOrStallsWhileTheyRest() throws {
    let listener = Listener()
    try listener.begin("silent")
    try listener.begin("next", frames: 1, of: 0.2, complete: true)
    listener.advance(Injection.longestPauseFrames - 1)
    listener.advance(Injection.longestPauseFrames, isResting: true)
    #expect(listener.journal.isEmpty)
    listener.advance(2)
    #expect(listener.journal == ["silent cancelled", "next started"])
    // It has not been heard before, and does not fade in.
    #expect(listener.queue.firstGain == 1)
  }

  @Test func aStepAtTheEndFadesOutAndSilenceAddsNoFrame() throws {
    let listener = Listener()
    for (value, frames) in [(Float(0.2), 2), (0, 1)] {
      try listener.begin("a", frames: 1, of: value, complete: true)
      listener.advance(frames)
      #expect(listener.injection("a") == nil)
    }
    try listener.begin("b", frames: 1, of: 0.2, complete: true)
    listener.advance()
    listener.queue.end(listener.record)
    #expect(listener.journal.suffix(2) == ["b started", "b finished"])
  }

  @Test func anInjectionThatNeverSendsAnythingGivesWay() throws {
    let listener = Listener()
    try listener.begin("silent")
    listener.advance(Injection.longestPauseFrames)
    #expect(listener.journal == ["silent cancelled"])
  }

  @Test func theEndCancelsAllInjections() throws {
    let listener = Listener()
    try listener.begin("a", frames: 10, of: 0.1)
    try listener.begin("b")
    listener.advance()
    listener.queue.end(listener.record)
    #expect(listener.journal == ["a started", "a cancelled", "b cancelled"])
    listener.advance()
    #expect(listener.heard == [0.1, nil])
  }

  @Test func theInjectionsOfOneClientAreCancelledTogether() throws {
    let listener = Listener()
    try listener.begin("a", frames: 10, of: 0.1)
    try listener.begin("b", by: "other")
    listener.advance()
    listener.queue.cancel(of: "other", listener.record)
    #expect(listener.journal == ["a started", "b cancelled"])
    listener.queue.cancel(of: nil, listener.record)
    listener.advance()
    #expect(listener.journal == ["a started", "b cancelled", "a cancelled"])
  }

  @Test func playedAndBacklogAreExact() throws {
    let listener = Listener()
    try listener.begin("a", frames: 5, of: 0.1)
    let injection = try #require(listener.injection("a"))
    #expect(injection.played == .zero && injection.backlog == .milliseconds(50))
    listener.advance(2)
    #expect(injection.played == .milliseconds(20) && injection.backlog == .milliseconds(30))
  }

  @Test func theSameIDTwiceAndTooManyAreRefused() throws {
    let listener = Listener()
    try listener.begin("0")
    let exists = #expect(throws: Refusal.self) { try listener.queue.add("0", client: "other") }
    #expect(exists?.kind == .exists)
    for id in 1..<InjectionQueue.capacity { try listener.begin("\(id)") }
    let refusal = #expect(throws: Refusal.self) { try listener.queue.add("more", client: "c") }
    #expect(refusal?.kind == .tooMany)
  }
}
