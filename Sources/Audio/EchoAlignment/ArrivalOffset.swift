/// The time by which the samples of the reference run ahead of those of the microphone as they
/// arrive, compared with the start of the call. If two clocks drift apart, the offset grows or
/// shrinks for as long as the call lasts.
///
/// Networks deliver late and in bursts. A change therefore counts only if every arrival of the last
/// 10 s agrees with it, and is noticed after 10 to 15 s. The offset follows it no faster than clocks
/// drift apart, except for a step that no clock makes.
struct ArrivalOffset {
  /// Smaller changes are jitter, in seconds.
  static let tolerance = 0.02
  /// Half of the time over which arrivals are compared, in seconds.
  private static let halfSeconds = 5.0
  /// The greatest change in a second, in seconds: a little more than clocks drift.
  private static let largestSlope = 0.0011
  /// Clocks need minutes for a greater change, in seconds: one side has left samples out without an index.
  private static let leastStep = 0.15

  /// The offset since the start of the call, in seconds, and 0 until it has changed.
  private(set) var seconds = 0.0
  private var origin: ClosedRange<Double>?
  private var lastHalf: ClosedRange<Double>?
  private var half: ClosedRange<Double>?
  private var halfEnd = -Double.infinity
  private var compared = 0.0  // when, by the microphone, in seconds

  /// Records the seconds by which the reference was ahead of the microphone when samples arrived,
  /// at a time of the microphone in seconds. Runs per frame: no allocation, lock, log or await.
  mutating func record(_ offset: Double, at time: Double) {
    if let range = half, time < halfEnd {
      half = min(range.lowerBound, offset)...max(range.upperBound, offset)
      return
    }
    let wasGap = time - halfEnd > Self.halfSeconds
    if let half, let lastHalf, !wasGap {
      follow(
        min(half.lowerBound, lastHalf.lowerBound)...max(half.upperBound, lastHalf.upperBound),
        at: time)
    }
    lastHalf = wasGap ? nil : half
    half = offset...offset
    halfEnd = time + Self.halfSeconds
  }

  /// Forgets the last arrivals, because the samples that come next are placed by another rule.
  mutating func restart() {
    (half, lastHalf) = (nil, nil)
    halfEnd = -.infinity
  }

  private mutating func follow(_ range: ClosedRange<Double>, at time: Double) {
    guard let origin else {
      self.origin = range
      compared = time
      return
    }
    let ahead = range.lowerBound - origin.lowerBound - seconds
    let behind = range.upperBound - origin.upperBound - seconds
    let change = ahead > Self.tolerance ? ahead : behind < -Self.tolerance ? behind : 0
    let largest = abs(change) > Self.leastStep ? .infinity : Self.largestSlope * (time - compared)
    seconds += max(-largest, min(largest, change))
    compared = time
  }
}
