import AudioCore
import TestAudio
import Testing

@testable import EchoAlignment

struct LagTrackerTests {
  /// Returns a correlation with a clear peak.
  private func correlation(peak: Int) -> FloatBuffer {
    let result = FloatBuffer(PhaseCorrelator.lagCount)
    for (index, value) in Signals.noise(result.count, amplitude: 1).enumerated() {
      result.start[index] = value
    }
    result.start[peak] = 20
    return result
  }

  /// A person may sound like what the far end said a second ago, when no echo of it can come.
  @Test(arguments: [false, true])
  func aBlockThatLacksTheEchoSpeaksForNoOtherLag(lacksEcho: Bool) {
    var tracker = LagTracker()
    for _ in 0..<5 { tracker.update(correlation(peak: 400), isExplained: false) }
    #expect(tracker.lag.map { Int($0.rounded()) } == 400)
    for _ in 0..<10 {
      tracker.update(correlation(peak: 3700), isExplained: false, lacksEcho: lacksEcho)
    }
    #expect(tracker.lag.map { Int($0.rounded()) } == (lacksEcho ? 400 : 3700))
  }
}
