/// A rule that keeps the number of samples in flight constant. Before each block is written, it
/// takes in the number of samples that wait on the way to a player, and reports when the length of
/// the path has changed. The player itself always holds the number of samples that it requested, so
/// the waiting samples show the length.
///
/// When a bus runs dry, the path becomes longer by the missing samples. The rule leaves the path
/// so, because the next late block then causes no second jump. It shortens the path only if the
/// path has become far too long.
struct FlightControl {
  /// The result of a window.
  enum Finding: Equatable {
    /// The path is longer than before by this number of samples.
    case moved(Int)
    /// This number of samples must be left out, or inserted if it is negative.
    case excess(Int)
  }

  private static let largestGrowth = 2400
  /// The phase between the blocks of two clocks changes, which moves the level by about 120 in both
  /// directions.
  private static let tolerance = 360
  private static let window = 40
  private let target: Int
  private var level: Int
  private var levels: [Int] = []
  private var rounds = 0

  /// With so many waiting samples, the machine stood still for long, and more samples will come at
  /// once. A new path is better then.
  static let hopeless = 4800

  /// Creates the rule. `target` samples should wait. They bridge a late block.
  init(target: Int) { (self.target, level) = (target, target) }

  var isSettled: Bool { rounds >= 3 }

  mutating func record(_ waiting: Int) -> Finding? {
    levels.append(waiting)
    guard levels.count == Self.window else { return nil }
    let median = levels.sorted()[Self.window / 2]
    levels = []
    rounds += 1
    let excess = median - target
    // The level has no meaning while the streams start.
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
