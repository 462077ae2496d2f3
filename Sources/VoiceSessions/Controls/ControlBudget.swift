/// How much of a kind a media client may send: a burst, and then so many for each second of audio.
struct ControlBudget {
  static let controls = ControlBudget(
    "controls", reason: "TOO_MANY_CONTROLS", burst: 200, perSecond: 100)
  /// Devices come and go by hand; what a report resets costs more than what a control changes.
  static let deviceReports = ControlBudget(
    "device reports", reason: "TOO_MANY_REPORTS", burst: 20, perSecond: 10)

  let burst: Int
  private let price: Int  // in frames
  private let refusal: Refusal
  private var left: Int  // in frames

  private init(_ kind: String, reason: String, burst: Int, perSecond: Int) {
    self.burst = burst
    price = 100 / perSecond
    left = burst * price
    refusal = Refusal(
      .tooMany, reason: reason,
      message: "more than \(burst) \(kind) at once, or \(perSecond) in a second of audio")
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func refill() { left = min(left + 1, burst * price) }

  mutating func spend() throws(Refusal) {
    guard left >= price else { throw refusal }
    left -= price
  }
}
