import TestAudio
import Testing

@testable import GRPCTransport

@Suite(.timeLimit(.minutes(1)))
struct ClientCallMachineTests {
  private typealias Action = ClientCallMachine.Action

  private enum Step: CaseIterable {
    case send, halfClose, receive, cancel, received, written, writeFailed, ended
  }

  @Test func aSecondWriterIsRefusedAndTheFirstIsUnharmed() {
    var machine = ClientCallMachine()
    #expect(machine.send() == .write)
    #expect(machine.send() == .refuse(.misuse(.secondWriter)))
    #expect(machine.written(true) == .deliver)
    #expect(machine.send() == .write)
  }

  @Test func aSecondReaderIsRefusedAndTheFirstIsUnharmed() {
    var machine = ClientCallMachine()
    #expect(machine.receive() == .read)
    #expect(machine.receive() == .refuse(.misuse(.secondReader)))
    #expect(machine.received() == .deliver)
    #expect(machine.receive() == .read)
  }

  @Test func aHalfCloseWaitsForTheWriteInFlight() {
    var machine = ClientCallMachine()
    #expect(machine.send() == .write)
    #expect(machine.halfClose() == .ignore)
    #expect(machine.send() == .refuse(.halfClosed))
    #expect(machine.written(true) == .deliverAndHalfClose)
    #expect(machine.halfClose() == .ignore)
  }

  @Test func messagesThatNobodyAskedForAreKeptInOrderAlsoAfterTheEnd() {
    var machine = ClientCallMachine()
    #expect(machine.received() == .keep)
    #expect(machine.received() == .keep)
    #expect(machine.ended() == .deliver)
    #expect(machine.receive() == .takeKept)
    #expect(machine.receive() == .takeKept)
    #expect(machine.receive() == .refuse(.ended))
  }

  @Test(arguments: 0..<20)
  func anyInterleavingFollowsTheRules(part: UInt64) {
    for seed in part * 1000..<(part + 1) * 1000 {
      guard follows(seed: seed) else { return }
    }
  }

  /// Runs a machine through random steps. Compares each action with the one that the rules require
  /// after all earlier steps. Returns whether they agreed.
  private func follows(seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    var machine = ClientCallMachine()
    var history: [(step: Step, action: Action)] = []
    for number in 0..<40 {
      var step = Step.allCases.randomElement(using: &random) ?? .send
      // Most calls last for a while.
      if step == .ended, number < 20 || !random.happens(onceIn: 4) { step = .received }
      if step == .halfClose, !random.happens(onceIn: 4) { step = .written }
      let expected = Self.action(of: step, after: history)
      let action = Self.perform(step, on: &machine)
      #expect(action == expected, "seed \(seed), \(step) after \(history)")
      guard action == expected else { return false }
      history.append((step, action))
    }
    return true
  }

  private static func action(
    of step: Step, after history: [(step: Step, action: Action)]
  ) -> Action {
    func isInFlight(_ started: Action, until: (Step, Action) -> Bool) -> Bool {
      guard let start = history.lastIndex(where: { $0.action == started }) else { return false }
      return !history[start...].dropFirst().contains { until($0.step, $0.action) }
    }
    let hasEnded = history.contains { $0.step == .ended }
    let isHalfClosed = history.contains { $0.step == .halfClose }
    let isReading = !hasEnded && isInFlight(.read) { step, _ in step == .received }
    let isWriting =
      !hasEnded
      && isInFlight(.write) { step, action in step == .written && action != .ignore }
    let kept =
      history.count { $0.action == .keep } - history.count { $0.action == .takeKept }
    switch step {
    case .send:
      if hasEnded { return .refuse(.ended) }
      if isHalfClosed { return .refuse(.halfClosed) }
      return isWriting ? .refuse(.misuse(.secondWriter)) : .write
    case .halfClose: return hasEnded || isHalfClosed || isWriting ? .ignore : .halfClose
    case .receive:
      if isReading { return .refuse(.misuse(.secondReader)) }
      if kept > 0 { return .takeKept }
      return hasEnded ? .refuse(.ended) : .read
    case .cancel: return hasEnded ? .ignore : .cancel
    case .received: return hasEnded ? .ignore : isReading ? .deliver : .keep
    case .written:
      guard isWriting else { return .ignore }
      return isHalfClosed ? .deliverAndHalfClose : .deliver
    case .writeFailed: return .ignore
    case .ended: return hasEnded ? .ignore : .deliver
    }
  }

  private static func perform(_ step: Step, on machine: inout ClientCallMachine) -> Action {
    switch step {
    case .send: return machine.send()
    case .halfClose: return machine.halfClose()
    case .receive: return machine.receive()
    case .cancel: return machine.cancel()
    case .received: return machine.received()
    case .written: return machine.written(true)
    case .writeFailed: return machine.written(false)
    case .ended: return machine.ended()
    }
  }
}
