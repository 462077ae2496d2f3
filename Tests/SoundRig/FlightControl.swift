/// Keeps the number of samples in flight: looks at how many wait on the way to a player before each
/// block is written, and says when the path has moved. The player itself always holds as many as it
/// asked for, so that what waits tells all.
///
/// Where a bus ran dry the path has grown by what was missing. It is left so, as the next late block
/// then does no harm and the path jumps once and not twice, unless it has become far too long.
struct FlightControl {
  /// What a window has shown.
  enum Finding: Equatable {
    /// The path is so many samples longer than it was.
    case moved(Int)
    /// So many samples are to be left out, or to be inserted when negative.
    case excess(Int)
  }

  private static let largestGrowth = 2400
  /// Two clocks' blocks pass each other, which moves the level by some 120 to each side.
  private static let tolerance = 360
  private static let window = 40
  private let target: Int
  private var level: Int
  private var levels: [Int] = []
  private var rounds = 0

  /// With so many waiting the machine stood still for long, and more will come in one rush: the path
  /// is better built anew.
  static let hopeless = 4800

  /// `target` samples are to wait; they are what makes up for a late block.
  init(target: Int) { (self.target, level) = (target, target) }

  var isSettled: Bool { rounds >= 3 }

  mutating func note(_ waiting: Int) -> Finding? {
    levels.append(waiting)
    guard levels.count == Self.window else { return nil }
    let median = levels.sorted()[Self.window / 2]
    levels = []
    rounds += 1
    let excess = median - target
    // While streams start nothing can be said.
    if rounds < 3 { return rounds == 2 ? .excess(excess) : nil }
    if rounds == 3 { level = target + max(-Self.tolerance, min(Self.tolerance, excess)) }
    let change = median - level
    guard abs(change) > Self.tolerance else { return nil }
    guard (-Self.tolerance...Self.largestGrowth).contains(excess) else {
      level = target
      return .excess(excess)
    }
    level = median
    return .moved(change)
  }
}
