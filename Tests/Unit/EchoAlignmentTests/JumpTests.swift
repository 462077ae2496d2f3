import AudioCore
import Testing

@testable import EchoAlignment

/// Jumps that show an unsteady clock.
struct JumpTests {
  @Test func repeatedJumpsInOneDirectionAreADrift() {
    var trend = JumpTrend()
    for time in [1.0, 4, 7] {
      #expect(!trend.isDrift)
      trend.record(-0.01, at: time)
    }
    #expect(trend.isDrift)
    trend.update(11.9)
    #expect(trend.isDrift)
    trend.update(12.1)
    #expect(!trend.isDrift)
  }

  @Test func alternatingAndRareJumpsDoNotCountAsDrift() {
    var (swinging, rare) = (JumpTrend(), JumpTrend())
    for index in 0..<20 {
      swinging.record(index.isMultiple(of: 2) ? 0.01 : -0.01, at: Double(index))
      rare.record(0.01, at: Double(index) * 5.1)
      #expect(!swinging.isDrift && !rare.isDrift)
    }
  }

  @Test func aClockThatJumpsOftenIsNotTrusted() {
    #expect(jumps(every: 1).isUntrusted)
    #expect(jumps(every: 3).isUntrusted)
    #expect(!jumps(every: 6).isUntrusted)
  }

  @Test func aClockThatJumpedIsTrustedAgainAfterAWhile() {
    #expect(!jumps(every: 1, calmSeconds: 3).isUntrusted)
  }

  /// Returns whether a clock that jumped ten times by 100 ms is not trusted, and the number of
  /// found jumps.
  private func jumps(every period: Int, calmSeconds: Int = 0) -> (isUntrusted: Bool, count: Int) {
    var clock = ReportedClock(rate: .hz16000)
    for frame in 0..<(period * 1000 + 50 + calmSeconds * 100) {
      let jumped = min(10, frame / (period * 100))
      clock.record(
        sample: Int64(frame * 160), at: .milliseconds(frame * 10 + jumped % 2 * 100))
    }
    return (clock.isUntrusted, clock.jumpCount)
  }
}
