import CommandLineSupport
import Testing

/// The signals that end a program.
struct SignalCountTests {
  struct Case: Sendable {
    var awaited: Int
    /// The times of signals in milliseconds.
    var times: [Int]
    var actions: [SignalCount.Action]
  }

  @Test(arguments: [
    // A program that waits for one signal ends at once by the second.
    Case(awaited: 1, times: [0, 501, 1200], actions: [.report, .exit, .exit]),
    // A sender that signals a process and then its group signals once.
    Case(awaited: 1, times: [0, 3, 500, 800], actions: [.report, .ignore, .ignore, .exit]),
    // The server hurries by the second signal, and ends at once by the third.
    Case(
      awaited: 2, times: [0, 10, 600, 700, 1101],
      actions: [.report, .ignore, .report, .ignore, .exit]),
  ])
  func signalsCountAsTheRuleSays(_ test: Case) {
    let start = ContinuousClock.now
    var count = SignalCount(awaited: test.awaited)
    let actions = test.times.map { count.record(at: start + .milliseconds($0)) }
    #expect(actions == test.actions)
  }
}
