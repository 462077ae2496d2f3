/// A line through the points of the last minute, one each second, that survives sudden changes of
/// the value, which are not drift. A change of one point is ignored. If the next point changes too,
/// the change is permanent, and the line moves by it.
struct SteppedLine: ~Copyable {
  /// The points that the line must have before a change is noticed.
  private static let leastCount = 3
  /// A change is noticed if it exceeds this many standard deviations of the points. Otherwise the
  /// jitter of a busy machine would be taken for changes, and these would hide the drift.
  private static let clearFactor = 6.0

  private var line = RobustLine(capacity: 60)
  private let step: Double
  private var time = 0.0
  private var isOutlying = false
  private var isBroken = false

  /// `step` is the smallest change that does not count as drift.
  init(step: Double) { self.step = step }

  var count: Int { line.count }
  var slope: Double { line.slope }
  /// The standard error of the slope.
  var uncertainty: Double { line.uncertainty }

  /// The line's value at the last point.
  var value: Double { line.value(at: time) }

  mutating func forget() {
    line.forget()
    isOutlying = false
  }

  /// Records that the next point may have any value.
  mutating func interrupt() { isBroken = true }

  /// Records the value of the next second.
  ///
  /// - Parameter slope: The slope that is known. The line's own may still be wrong.
  /// - Returns: Whether the value is now a point of the line.
  mutating func add(_ value: Double, along slope: Double) -> Bool {
    let change = value - (self.value + slope)
    time += 1
    if isBroken {
      line.shift(by: change)
    } else if line.count >= Self.leastCount,
      abs(change) > max(step, Self.clearFactor * line.deviation)
    {
      isOutlying.toggle()
      guard !isOutlying else { return false }
      line.shift(by: change)
    }
    (isOutlying, isBroken) = (false, false)
    line.add(time, value)
    return true
  }
}
