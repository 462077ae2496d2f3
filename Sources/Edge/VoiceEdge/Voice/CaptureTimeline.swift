/// The rule that places captured frames in time: how much is missing, which frames are too late,
/// and when to continue without a frame. It has no clock: callers pass the times.
struct CaptureTimeline {
  enum Verdict: Equatable {
    /// The frame follows a gap of this length in ns. 0 means no gap.
    case next(missing: Int64)
    /// The time of the frame has passed.
    case tooLate
  }

  private static let frame: Int64 = 10_000_000
  /// The tolerance in ns for fluctuating device times.
  private static let tolerance: Int64 = 15_000_000
  /// The time in ns to wait for a frame after its end. A shorter time applies while no device
  /// provides frames, so that playback continues on time.
  private static let patience: Int64 = 60_000_000
  private static let patienceWithoutDevice: Int64 = 5_000_000
  /// The maximum number of frames that are made up one by one.
  private static let longestCatchUp = 100

  /// The time in ns at which the next frame should begin.
  private(set) var expected: Int64
  /// Whether the last frame was given up.
  private var isInGap = false

  init(now: Int64) { expected = now }

  /// Places a frame that was captured at `time`.
  mutating func arrived(at time: Int64) -> Verdict {
    let offset = time - expected
    // After a gap, the frame begins at its exact position.
    let tolerance = isInGap ? 0 : Self.tolerance
    if offset < -tolerance { return .tooLate }
    isInGap = false
    expected = time + Self.frame
    return .next(missing: offset > tolerance ? offset : 0)
  }

  /// Skips the frames that were missed in a long sleep.
  ///
  /// - Returns: The number of skipped frames.
  mutating func catchUp(now: Int64) -> Int {
    let missing = (now - expected - Self.patience) / Self.frame
    guard missing > Self.longestCatchUp else { return 0 }
    expected += missing * Self.frame
    isInGap = true
    return Int(missing)
  }

  /// Returns whether the next frame is given up at `now`. Calls `hasDevice` only if the frame is
  /// late.
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
