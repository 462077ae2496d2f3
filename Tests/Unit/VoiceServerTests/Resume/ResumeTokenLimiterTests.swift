import Testing

@testable import VoiceServer

struct ResumeGuessesTests {
  private let now = ContinuousClock.now

  @Test func aHostMayBeWrongAHundredTimesAndThenTenTimesASecond() {
    var guesses = ResumeTokenLimiter()
    let first = (0..<200).count { _ in guesses.take(for: "a", now: now) }
    let later = (0..<200).count { _ in guesses.take(for: "a", now: now + .seconds(2)) }
    #expect(first == 100 && later == 20)
    let other = guesses.take(for: "b", now: now)
    #expect(other)
  }

  @Test func hostsThatCannotBeToldApartShareOneLimit() {
    var guesses = ResumeTokenLimiter()
    for host in 0..<ResumeTokenLimiter.mostHosts { _ = guesses.take(for: "\(host)", now: now) }
    let others = (0..<500).count { guesses.take(for: "other \($0)", now: now) }
    #expect(others == 100)
    // Hosts that have been quiet make room.
    let later = (0..<200).count { guesses.take(for: "late \($0)", now: now + .seconds(20)) }
    #expect(later == 200)
  }
}
