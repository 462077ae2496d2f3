/// The rule that keeps a server from saying in turn that it is full and that it is not. A server that
/// was full has room again after it had some to spare for a while. Reads no clock.
struct FullnessRule {
  /// The part of the budget that has to be free.
  static let margin = 0.05
  /// The time for which it has to be free.
  static let pause = Duration.seconds(5)

  private var isFull = false
  private var roomSince: ContinuousClock.Instant?

  /// Records whether the server is full now, and whether it has room to spare. Returns whether it
  /// counts as full.
  mutating func record(isFull: Bool, hasRoom: Bool, now: ContinuousClock.Instant) -> Bool {
    if isFull || !hasRoom { roomSince = nil }
    if isFull { self.isFull = true }
    guard self.isFull, hasRoom, !isFull else { return self.isFull }
    let since = roomSince ?? now
    roomSince = since
    if now - since >= Self.pause { (self.isFull, roomSince) = (false, nil) }
    return self.isFull
  }
}
