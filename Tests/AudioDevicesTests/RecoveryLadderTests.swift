import AudioDevices
import Testing

struct RecoveryLadderTests {
  @Test func anOverrunIsPreparedAway() {
    var ladder = RecoveryLadder()
    let step = ladder.step(after: .xrun, now: .seconds(1))
    #expect(step == .prepare)
  }

  @Test func whatIsLostIsOpenedAnew() {
    var ladder = RecoveryLadder()
    let step = ladder.step(after: .lost("No such device"), now: .seconds(1))
    #expect(step == .reopen)
  }

  @Test func theThirdOverrunWithinTwoSecondsOpensItAnew() {
    var ladder = RecoveryLadder()
    let steps = [0, 900, 1900].map {
      ladder.step(after: .xrun, now: .milliseconds($0))
    }
    #expect(steps == [.prepare, .prepare, .reopen])
  }

  @Test func overrunsFarApartAreEachPreparedAway() {
    var ladder = RecoveryLadder()
    let steps = (0..<20).map { ladder.step(after: .xrun, now: .milliseconds($0 * 1000)) }
    #expect(steps.allSatisfy { $0 == .prepare })
  }

  @Test func afterItWasOpenedAnewTheCountBeginsAnew() {
    var ladder = RecoveryLadder()
    let steps = (0..<6).map { ladder.step(after: .xrun, now: .milliseconds($0)) }
    #expect(steps == [.prepare, .prepare, .reopen, .prepare, .prepare, .reopen])
  }

  @Test func whatSleepsIsAskedToWakeForTwoSeconds() {
    var ladder = RecoveryLadder()
    let steps = stride(from: 0, through: 2000, by: 500).map {
      ladder.step(after: .suspended, now: .milliseconds($0))
    }
    #expect(steps == [.resume, .resume, .resume, .resume, .prepare])
  }

  @Test func whatWokeMaySleepAgain() {
    var ladder = RecoveryLadder()
    var step = ladder.step(after: .suspended, now: .seconds(1))
    #expect(step == .resume)
    ladder.worked()
    step = ladder.step(after: .suspended, now: .seconds(10))
    #expect(step == .resume)
  }

  @Test func whatNeverWakesIsOpenedAnewInTheEnd() {
    var ladder = RecoveryLadder()
    let steps = stride(from: 0, to: 20_000, by: 50).map {
      ladder.step(after: .suspended, now: .milliseconds($0))
    }
    #expect(steps.contains(.reopen))
  }
}
