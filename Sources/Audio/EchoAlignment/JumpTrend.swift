/// Detects jumps of the lag that follow one another in the same direction. A drift too fast to be
/// followed appears like this: the lag is found again and again, each time a little further.
struct JumpTrend {
  /// The distance of two jumps in seconds from which they are unrelated.
  private static let memory = 5.0
  private static let jumpsToTell = 3

  private(set) var isDrift = false
  private var count = 0  // less than 0 for jumps back
  private var lastTime = -Double.infinity

  /// Records a jump of the lag by a number of seconds, at a time in seconds.
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
