/// Keeps the number of samples in flight: looks at how many wait in the pipe to a player before each
/// block is written, and says how many are too many. The player itself always holds as many as it
/// asked for, so that what waits tells all.
struct FlightControl {
  /// Samples that are to wait; they are what makes up for a late block.
  private let target = 960
  private let window = 40
  private var levels: [Int] = []
  private var rounds = 0
  /// Of the windows' levels, in samples.
  private var error = 0.0

  /// With so many waiting the machine stood still for long, and more will come in one rush: the path
  /// is better built anew.
  static let hopeless = 4800

  var isSettled: Bool { rounds >= 2 }

  /// By what share a clock should go faster, where two clocks would otherwise part slowly.
  var trim: Double { max(-1e-4, min(1e-4, -error / 480_000)) }

  /// Samples to leave out, or to insert when negative: at the start any, later where a block or so
  /// has been missing.
  mutating func excess(_ waiting: Int) -> Int? {
    levels.append(waiting)
    guard levels.count == window else { return nil }
    let median = levels.sorted()[window / 2]
    levels = []
    rounds += 1
    let excess = median - target
    error = Double(excess)
    guard abs(excess) > (rounds == 1 ? 0 : 360) else { return nil }
    error = 0
    return excess
  }
}
