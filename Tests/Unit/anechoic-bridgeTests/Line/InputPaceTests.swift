import Testing

@testable import anechoic_bridge

/// The rule that keeps the sound of a client to real time.
struct InputPaceTests {
  private static let block = 0.02

  /// Returns the number of blocks of an hour that are held back, for a client of this speed.
  private func heldBack(speed: Double) -> Int {
    let start = ContinuousClock.now
    var pace = InputPace(now: start)
    return (1...180_000).count { block in
      let available = pace.available(at: start + .seconds(Double(block) * Self.block / speed))
      pace.spend(Self.block)
      return available < Self.block
    }
  }

  /// As the server, which holds back no client whose clock is up to 0.1 % faster.
  @Test(arguments: [0.99, 1, 1.0005, 1.0009])
  func aClockIsInRealTime(speed: Double) { #expect(heldBack(speed: speed) == 0) }

  @Test func aQuickerClientIsHeldBack() { #expect(heldBack(speed: 1.002) > 0) }
}
