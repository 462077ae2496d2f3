import EdgeAudio
import Testing

struct RecoveryLadderTests {
  @Test func anOverrunIsFollowedByPreparation() {
    var ladder = RecoveryLadder()
    let step = ladder.step(after: .xrun, now: .seconds(1))
    #expect(step == .prepare)
  }

  @Test func aLostDeviceIsOpenedAgain() {
    var ladder = RecoveryLadder()
    let step = ladder.step(after: .lost("No such device"), now: .seconds(1))
    #expect(step == .reopen)
  }

  @Test func theThirdOverrunWithinTwoSecondsOpensTheDeviceAgain() {
    var ladder = RecoveryLadder()
    let steps = [0, 900, 1900].map {
      ladder.step(after: .xrun, now: .milliseconds($0))
    }
    #expect(steps == [.prepare, .prepare, .reopen])
  }

  @Test func overrunsFarApartAreEachFollowedByPreparation() {
    var ladder = RecoveryLadder()
    let steps = (0..<20).map { ladder.step(after: .xrun, now: .milliseconds($0 * 1000)) }
    #expect(steps.allSatisfy { $0 == .prepare })
  }

  @Test func openingTheDeviceAgainResetsTheCount() {
    var ladder = RecoveryLadder()
    let steps = (0..<6).map { ladder.step(after: .xrun, now: .milliseconds($0)) }
    #expect(steps == [.prepare, .prepare, .reopen, .prepare, .prepare, .reopen])
  }

  @Test func aSuspendedDeviceIsAskedToResumeForTwoSeconds() {
    var ladder = RecoveryLadder()
    let steps = stride(from: 0, through: 2000, by: 500).map {
      ladder.step(after: .suspended, now: .milliseconds($0))
    }
    #expect(steps == [.resume, .resume, .resume, .resume, .prepare])
  }

  @Test func aResumedDeviceMayBeSuspendedAgain() {
    var ladder = RecoveryLadder()
    var step = ladder.step(after: .suspended, now: .seconds(1))
    #expect(step == .resume)
    ladder.worked()
    step = ladder.step(after: .suspended, now: .seconds(10))
    #expect(step == .resume)
  }

  @Test func aDeviceThatNeverResumesIsOpenedAgain() {
    var ladder = RecoveryLadder()
    let steps = stride(from: 0, to: 20_000, by: 50).map {
      ladder.step(after: .suspended, now: .milliseconds($0))
    }
    #expect(steps.contains(.reopen))
  }
}
