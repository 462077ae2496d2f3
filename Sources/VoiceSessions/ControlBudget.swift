/// How many controls a media client may send: a burst, and then so many for each second of audio.
struct ControlBudget {
  static let burst = 200
  static let perFrame = 1

  private var left = Self.burst

  /// Runs per frame: no allocation, lock, log or await.
  mutating func refill() { left = min(left + Self.perFrame, Self.burst) }

  mutating func spend() throws(Refusal) {
    guard left > 0 else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_CONTROLS",
        message:
          "more than \(Self.burst) controls at once, or \(Self.perFrame * 100) in a second of audio"
      )
    }
    left -= 1
  }
}
