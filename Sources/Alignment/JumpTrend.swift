/// Tells jumps of the lag that follow one another the same way: a drift too fast to be followed is
/// found again and again, each time a little further, and never long enough for a slope.
struct JumpTrend {
  /// Jumps further apart than this, in seconds, have nothing to do with each other.
  private static let memory = 5.0
  private static let jumpsToTell = 3

  private(set) var isDrift = false
  private var count = 0  // less than 0 for jumps back
  private var lastTime = -Double.infinity

  /// Takes in by how many seconds the lag has jumped, at a time in seconds.
  mutating func note(_ jump: Double, at time: Double) {
    update(time)
    let isSameWay = count == 0 || (count > 0) == (jump > 0)
    count = (isSameWay ? count : 0) + (jump > 0 ? 1 : -1)
    lastTime = time
    isDrift = abs(count) >= Self.jumpsToTell
  }

  mutating func update(_ time: Double) {
    guard time - lastTime > Self.memory else { return }
    count = 0
    isDrift = false
  }
}
