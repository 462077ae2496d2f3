/// Where captured frames lie in time: what is missing, what comes too late, and when to go on without.
///
/// A rule without a clock: it is told when frames were captured and what time it is.
struct CaptureTimeline {
  enum Verdict: Equatable {
    /// It follows so much that is missing, in ns; 0 is nothing.
    case next(missing: Int64)
    /// Its time has passed without it.
    case tooLate
  }

  private static let frame: Int64 = 10_000_000
  /// Device times wander by less.
  private static let tolerance: Int64 = 15_000_000
  /// A frame is waited for so long after its end; and so long where no device gives any, so that what
  /// is played goes on in time.
  private static let patience: Int64 = 60_000_000
  private static let patienceWithoutDevice: Int64 = 5_000_000
  /// More is not made up for frame by frame.
  private static let longestCatchUp = 100

  /// When the next frame should begin, in ns.
  private(set) var expected: Int64
  /// The last frame was given up.
  private var isInGap = false

  init(now: Int64) { expected = now }

  /// A frame that was captured at `time` has come.
  mutating func arrived(at time: Int64) -> Verdict {
    let offset = time - expected
    // After a gap it begins where it belongs.
    let tolerance = isInGap ? 0 : Self.tolerance
    if offset < -tolerance { return .tooLate }
    isInGap = false
    expected = time + Self.frame
    return .next(missing: offset > tolerance ? offset : 0)
  }

  /// After a long sleep what was missed is left out in one go.
  ///
  /// - Returns: How many frames; 0 is none.
  mutating func catchUp(now: Int64) -> Int {
    let missing = (now - expected - Self.patience) / Self.frame
    guard missing > Self.longestCatchUp else { return 0 }
    expected += missing * Self.frame
    isInGap = true
    return Int(missing)
  }

  /// Whether the next frame is given up, at `now`. `hasDevice` is asked only when it is late.
  mutating func givesUp(now: Int64, hasDevice: @autoclosure () -> Bool = true) -> Bool {
    let lateness = now - (expected + Self.frame)
    guard lateness > Self.patienceWithoutDevice, lateness > Self.patience || !hasDevice() else {
      return false
    }
    expected += Self.frame
    isInGap = true
    return true
  }
}
