import Testing

@testable import EchoAlignment

/// How far the reference runs ahead of the microphone, by the arrivals of both.
struct ArrivalOffsetTests {
  /// Records arrivals every 20 ms of the microphone's time, which jitter by up to 60 ms.
  private func follow(
    _ arrivals: inout ArrivalOffset, _ seconds: Range<Double>, offset: (Double) -> Double
  ) {
    for index in Int(seconds.lowerBound * 50)..<Int(seconds.upperBound * 50) {
      let time = Double(index) / 50
      arrivals.record(offset(time) + Double(index % 4) * 0.02, at: time)
    }
  }

  /// The microphone, or the reference, has left samples out without an index.
  @Test(arguments: [0.4, 3, -0.3])
  func aStepIsFollowedAtOnce(step: Double) {
    var arrivals = ArrivalOffset()
    follow(&arrivals, 0..<30) { _ in 0.01 }
    #expect(arrivals.seconds == 0)
    follow(&arrivals, 30..<50) { _ in 0.01 + step }
    #expect(abs(arrivals.seconds - step) < 0.02)
  }

  @Test func aBurstIsNoStep() {
    var arrivals = ArrivalOffset()
    follow(&arrivals, 0..<60) { $0 > 30 && $0 < 33 ? 1.5 : 0 }
    #expect(arrivals.seconds == 0)
  }

  /// The reference came 2 s late at first, until it was placed anew.
  @Test func arrivalsBeforeARestartDoNotCount() {
    var arrivals = ArrivalOffset()
    follow(&arrivals, 0..<3) { _ in -2 }
    arrivals.restart()
    follow(&arrivals, 3..<40) { _ in 0 }
    #expect(arrivals.seconds == 0)
  }

  @Test func aDriftIsFollowedSlowly() {
    var arrivals = ArrivalOffset()
    follow(&arrivals, 0..<400) { $0 * 0.0003 }
    #expect((0.07...0.13).contains(arrivals.seconds))
  }
}
