import Testing

@testable import VoiceSessions

struct EchoConvergenceTests {
  private func converged() -> EchoConvergence {
    var convergence = EchoConvergence()
    record(30, &convergence)
    #expect(convergence.isConverged)
    return convergence
  }

  private func record(
    _ reduction: Float, mayHaveEcho: Bool = true, frames: Int = 1,
    _ convergence: inout EchoConvergence
  ) {
    for _ in 0..<frames {
      _ = convergence.process(.init(reduction: reduction, mayHaveEcho: mayHaveEcho))
    }
  }

  @Test func aLittleReductionForFiveSecondsIsNone() {
    var convergence = converged()
    record(1, frames: 499, &convergence)
    #expect(convergence.isConverged)
    record(1, &convergence)
    #expect(!convergence.isConverged)
  }

  /// The last reduction may be that of the near end's first words.
  @Test func aLongTurnOfTheNearEndIsNoDoubt() {
    var convergence = converged()
    record(1, mayHaveEcho: false, frames: 2000, &convergence)
    #expect(convergence.isConverged)
    record(1, frames: 100, &convergence)
    record(20, &convergence)
    record(1, frames: 499, &convergence)
    #expect(convergence.isConverged)
  }
}
