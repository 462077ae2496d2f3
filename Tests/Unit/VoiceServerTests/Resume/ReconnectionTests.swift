import GRPCTransport
import Testing

@testable import VoiceClient

/// The decisions of a client after a lost connection.
struct ReconnectionTests {
  private static let now = ContinuousClock.now

  @Test func aSessionIsResumedUntilItsWindowEndsAndThenANewOneStarts() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: .seconds(10), server: 0, of: 1, now: Self.now)
    #expect(Self.step(&reconnection, 0) == .resume(after: .milliseconds(100)))
    #expect(Self.step(&reconnection, 1) == .resume(after: .milliseconds(200)))
    #expect(Self.step(&reconnection, 9.9) == .restart(server: 0, after: .zero))
    #expect(Self.step(&reconnection, 61) == .giveUp)
  }

  @Test func anotherServerIsTriedAfterTwoSecondsAndThenAllInTurn() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: .seconds(10), server: 0, of: 3, now: Self.now)
    #expect(Self.step(&reconnection, 0) == .resume(after: .milliseconds(100)))
    #expect(Self.step(&reconnection, 2) == .restart(server: 1, after: .zero))
    guard case .restart(let second, _) = Self.step(&reconnection, 2.1),
      case .restart(let third, _) = Self.step(&reconnection, 2.5),
      case .restart(let fourth, _) = Self.step(&reconnection, 3)
    else {
      Issue.record("a restart was expected")
      return
    }
    #expect([second, third, fourth] == [1, 2, 0] || [second, third, fourth] == [2, 0, 1])
  }

  @Test func aServerThatDoesNotKnowTheSessionGetsANewOneAtOnce() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: .seconds(10), server: 1, of: 2, now: Self.now)
    _ = Self.step(&reconnection, 0)
    reconnection.sessionIsGone()
    guard case .restart(let server, _) = Self.step(&reconnection, 0.2) else {
      Issue.record("a restart was expected")
      return
    }
    #expect(server == 1)
  }

  @Test func delaysDoubleUpToHalfASecondAndVaryByThirtyPercent() {
    let policy = ReconnectionPolicy()
    func delay(_ attempt: Int, away: Duration = .zero, _ random: Double = 0) -> Int {
      let delay = policy.delay(beforeAttempt: attempt, away: away, random: random)
      return Int((delay / .milliseconds(1)).rounded())
    }
    #expect((0..<5).map { delay($0) } == [100, 200, 400, 500, 500])
    #expect(delay(80, away: .seconds(59)) == 500 && delay(81, away: .seconds(60)) == 5000)
    #expect(delay(0, 1) == 130 && delay(0, -1) == 70)
  }

  @Test func aServerThatAsksToWaitIsGivenThatTime() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: nil, server: 0, of: 1, now: Self.now)
    #expect(Self.step(&reconnection, 0) == .restart(server: 0, after: .zero))
    reconnection.wait(for: .seconds(3))
    #expect(Self.step(&reconnection, 0) == .restart(server: 0, after: .seconds(3)))
    #expect(Self.step(&reconnection, 3) == .restart(server: 0, after: .milliseconds(400)))
    var others = Reconnection(ReconnectionPolicy(), window: nil, server: 0, of: 2, now: Self.now)
    _ = Self.step(&others, 0)
    others.wait(for: .seconds(3))
    #expect(Self.step(&others, 0) == .restart(server: 1, after: .milliseconds(200)))
  }

  @Test func aConnectionThatIsLostAtOnceAgainAndAgainIsNoReasonToHurry() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: nil, server: 0, of: 1, after: 2, now: Self.now)
    #expect(Self.step(&reconnection, 0) == .restart(server: 0, after: .milliseconds(400)))
  }

  @Test func aSessionThatIsGoneAgainIsNotFollowedAtOnce() {
    var reconnection = Reconnection(
      ReconnectionPolicy(), window: .seconds(10), server: 0, of: 1, after: 1, now: Self.now)
    #expect(Self.step(&reconnection, 0) == .resume(after: .milliseconds(200)))
    reconnection.sessionIsGone()
    #expect(Self.step(&reconnection, 0.2) == .restart(server: 0, after: .milliseconds(200)))
    #expect(reconnection.attempts == 2)
  }

  private static func step(_ reconnection: inout Reconnection, _ seconds: Double)
    -> Reconnection.Step
  {
    reconnection.next(now: now + .seconds(seconds), random: 0)
  }
}
