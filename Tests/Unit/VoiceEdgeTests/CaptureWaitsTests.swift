import Synchronization
import Testing

@testable import VoiceEdge

/// A request to unmute waits for what was captured before it.
struct CaptureWaitsTests {
  private final class Ends: Sendable {
    private let values = Mutex<[Bool]>([])
    var all: [Bool] { values.withLock { $0 } }
    func add(_ isValid: Bool) { values.withLock { $0.append(isValid) } }
  }

  @Test func aRequestWaitsForTheFrameAfterIt() {
    var waits = CaptureWaits()
    let ends = Ends()
    waits.add(since: 100_000_000, end: ends.add)
    waits.sent(capturedAt: 99_000_000)
    waits.sent(capturedAt: 109_000_000)
    #expect(ends.all.isEmpty)
    waits.sent(capturedAt: 119_000_000)
    waits.sent(capturedAt: 129_000_000)
    #expect(ends.all == [true])
  }

  @Test func aDeviceThatHasStoppedHoldsNobodyBack() {
    var waits = CaptureWaits()
    let ends = Ends()
    waits.add(since: 0, end: ends.add)
    waits.expire(now: 500_000_000)
    #expect(ends.all.isEmpty)
    waits.expire(now: 500_000_001)
    waits.add(since: 0, end: ends.add)
    waits.endAll()
    #expect(ends.all == [true, true])
  }

  @Test func aLaterMuteCounts() {
    var waits = CaptureWaits()
    let ends = Ends()
    waits.add(since: 0, end: ends.add)
    waits.cancel()
    waits.sent(capturedAt: 20_000_000)
    #expect(ends.all == [false])
  }
}
