import TestAudio
import Testing

@testable import GRPCTransport

@Suite(.timeLimit(.minutes(1)))
struct ServerCallMachineTests {
  private typealias Step = ServerCallModel.Step

  private static let begin = ContinuousClock.now
  private static let unstarted = Status(.deadlineExceeded, "no message")
  private static let stalled = Status(.resourceExhausted, "not read")
  private static let both = CallDeadlines(
    start: CallDeadline(.seconds(10), unstarted), write: CallDeadline(.seconds(5), stalled))

  private func machine(_ deadlines: CallDeadlines = both) -> ServerCallMachine {
    ServerCallMachine(deadlines: deadlines, now: Self.begin)
  }

  private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.begin + .seconds(seconds) }

  @Test func aStatusWaitsForTheWriteInFlight() {
    var machine = machine()
    let status = Status(.ok)
    #expect(machine.write(now: at(0)) == .write)
    #expect(machine.finish(status, Metadata(), now: at(1)) == .ignore)
    #expect(machine.write(now: at(1)) == .ignore)
    #expect(machine.writeCompleted(now: at(2)) == .finish(status, Metadata()))
    #expect(machine.finish(status, Metadata(), now: at(3)) == .ignore)
    #expect(machine.cancelled() == .ignore)
    #expect(machine.ended() == .deliver)
    #expect(machine.ended() == .ignore)
  }

  @Test func aSecondWriterIsRefusedAndTheFirstIsUnharmed() {
    var machine = machine()
    #expect(machine.write(now: at(0)) == .write)
    #expect(machine.write(now: at(1)) == .refuse(.secondWriter))
    #expect(machine.writeCompleted(now: at(2)) == .deliver)
    #expect(machine.write(now: at(3)) == .write)
  }

  @Test func aMessageThatWasReadBeforeTheEndIsDropped() {
    var machine = machine()
    #expect(machine.read() == .read)
    #expect(machine.finish(.ok, Metadata(), now: at(0)) == .finish(.ok, Metadata()))
    #expect(machine.received() == .ignore)
    #expect(machine.read() == .ignore)
  }

  @Test func theStallDeadlineEndsTheWriteInFlightAtItsTime() {
    var machine = machine(CallDeadlines(write: Self.both.write))
    #expect(machine.timerToStart(now: at(0)) == nil)
    #expect(machine.write(now: at(0)) == .write)
    #expect(machine.timerToStart(now: at(0)) == .seconds(5))
    #expect(machine.writeCompleted(now: at(4)) == .deliver)
    #expect(machine.write(now: at(4)) == .write)
    // The timer continues, and is set again when it fires.
    #expect(machine.timerToStart(now: at(4)) == nil)
    #expect(machine.timerFired(now: at(5)) == .ignore)
    #expect(machine.timerToStart(now: at(5)) == .seconds(4))
    #expect(machine.timerFired(now: at(9)) == .abortStalled(Self.stalled))
    #expect(machine.timerToStart(now: at(9)) == nil)
    #expect(machine.writeCompleted(now: at(9)) == .ignore)
    #expect(machine.cancelled() == .deliver)
  }

  @Test func aStreamOfMessagesCostsOneTimerForEachLimit() {
    var machine = machine(CallDeadlines(write: Self.both.write))
    var timerCount = 0
    var due: ContinuousClock.Instant?
    for message in 0..<6000 {
      let now = Self.begin + .milliseconds(10 * message)
      if let time = due, time <= now {
        due = nil
        #expect(machine.timerFired(now: now) == .ignore)
      }
      #expect(machine.write(now: now) == .write)
      if let delay = machine.timerToStart(now: now) {
        timerCount += 1
        due = now + delay
      }
      #expect(machine.writeCompleted(now: now + .milliseconds(1)) == .deliver)
    }
    #expect(timerCount == 12)
  }

  @Test func theStartDeadlineEndsACallThatSendsNothing() {
    var machine = machine()
    #expect(machine.timerToStart(now: at(0)) == .seconds(10))
    #expect(machine.read() == .read)
    #expect(machine.timerFired(now: at(10)) == .finish(Self.unstarted, Metadata()))
  }

  @Test(arguments: [false, true])
  func theFirstMessageMeetsTheStartDeadline(isHalfClose: Bool) {
    var machine = machine()
    #expect(machine.timerToStart(now: at(0)) == .seconds(10))
    #expect(machine.read() == .read)
    let action = isHalfClose ? machine.halfClosed() : machine.received()
    #expect(action == .deliver)
    #expect(machine.timerFired(now: at(10)) == .ignore)
    #expect(machine.timerToStart(now: at(10)) == nil)
  }

  @Test func aStatusThatDoesNotLeaveIsGivenUpToo() {
    var machine = machine()
    #expect(machine.finish(.ok, Metadata(), now: at(1)) == .finish(.ok, Metadata()))
    #expect(machine.timerToStart(now: at(1)) == .seconds(5))
    #expect(machine.timerFired(now: at(6)) == .abort(Self.stalled))
    #expect(machine.cancelled() == .ignore)
    #expect(machine.ended() == .deliver)
  }

  @Test(arguments: 0..<20)
  func anyInterleavingFollowsTheRules(part: UInt64) {
    for seed in part * 1000..<(part + 1) * 1000 {
      guard follows(seed: seed) else { return }
    }
  }

  /// Runs a machine and its model through random steps. Returns whether they agreed.
  private func follows(seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    let deadlines = CallDeadlines(
      start: Bool.random(using: &random) ? Self.both.start : nil,
      write: Bool.random(using: &random) ? Self.both.write : nil)
    var machine = machine(deadlines)
    var model = ServerCallModel()
    var time = Duration.zero
    var timer = machine.timerToStart(now: Self.begin)
    for number in 0..<40 {
      time += .milliseconds(Int.random(in: 0..<1500, using: &random))
      if let due = timer, due <= time {
        // A late timer must not cause any other action.
        let expected = model.actionOfTimer(at: time, deadlines)
        let action = machine.timerFired(now: Self.begin + time)
        #expect(action == expected, "seed \(seed), timer at \(time): \(model.history)")
        guard action == expected else { return false }
        model.note(.timer, action, at: time)
        // A start deadline waits for the write in flight.
        if action == .ignore, wantsStart(model, deadlines, time) {
          model.note(.finish(Self.unstarted), .ignore, at: time)
        }
        timer = machine.timerToStart(now: Self.begin + time).map { time + $0 }
        continue
      }
      let step = Self.step(number, &random)
      guard let expected = model.action(of: step) else { continue }
      let action = perform(step, on: &machine, at: time)
      #expect(action == expected, "seed \(seed), \(step) at \(time): \(model.history)")
      guard action == expected else { return false }
      model.note(step, action, at: time)
      if let delay = machine.timerToStart(now: Self.begin + time) { timer = time + delay }
    }
    return true
  }

  private func wantsStart(
    _ model: ServerCallModel, _ deadlines: CallDeadlines, _ time: Duration
  ) -> Bool {
    guard let start = deadlines.start else { return false }
    return model.isOpen && !model.hasStarted && time >= start.limit
  }

  /// Returns any step, including steps that are late or repeated.
  private static func step(_ number: Int, _ random: inout SeededGenerator) -> Step {
    // Most calls last for a while before something ends them.
    if number > 10, random.happens(onceIn: 12) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return .finish(Status(.ok, "\(number)"))
      case 1: return .abort(Status(.aborted, "\(number)"))
      case 2: return .cancelled
      default: return .ended
      }
    }
    return [.read, .write, .received, .writeCompleted, .received, .writeCompleted, .halfClosed]
      .randomElement(using: &random) ?? .read
  }

  private func perform(
    _ step: Step, on machine: inout ServerCallMachine, at time: Duration
  ) -> ServerCallMachine.Action {
    let now = Self.begin + time
    switch step {
    case .read: return machine.read()
    case .write: return machine.write(now: now)
    case .finish(let status): return machine.finish(status, Metadata(), now: now)
    case .abort(let status): return machine.abort(status)
    case .received: return machine.received()
    case .halfClosed: return machine.halfClosed()
    case .writeCompleted: return machine.writeCompleted(now: now)
    case .cancelled: return machine.cancelled()
    case .ended: return machine.ended()
    case .timer: return .ignore
    }
  }
}
