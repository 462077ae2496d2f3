import Testing

@testable import VoiceEdge

/// Presses that no finger makes.
struct KeyBounceTests {
  /// Returns the times in ms of the presses that count.
  private func counted(
    _ changes: [(milliseconds: Int, isPressed: Bool)], of key: HeadsetKey = .micMute
  ) -> [Int] {
    let begin = ContinuousClock.now
    var bounce = KeyBounce()
    return changes.compactMap { change in
      let event = KeyEvent(key: key, isPressed: change.isPressed)
      let isBounce = bounce.includes(event, at: begin + .milliseconds(change.milliseconds))
      return change.isPressed && !isBounce ? change.milliseconds : nil
    }
  }

  @Test func contactsThatBounceAreOnePress() {
    // When the key goes down, and when it goes up.
    #expect(
      counted([
        (0, true), (3, false), (6, true), (400, false), (404, true), (408, false), (458, true),
      ]) == [0, 458])
    #expect(counted((0..<15).flatMap { [($0 * 20, true), ($0 * 20 + 10, false)] }) == [0])
  }

  @Test func fastPressesAreDistinct() {
    #expect(
      counted([(0, true), (30, false), (100, true), (130, false), (200, true)]) == [0, 100, 200])
  }

  @Test func aSwitchCountsAtAnyTime() {
    #expect(counted([(0, true), (5, false), (10, true)], of: .hookSwitch) == [0, 10])
  }

  @Test func eachKeyBouncesByItself() {
    var bounce = KeyBounce()
    let now = ContinuousClock.now
    for key in [HeadsetKey.micMute, .playPause] {
      let isBounce = bounce.includes(KeyEvent(key: key, isPressed: true), at: now)
      #expect(!isBounce)
    }
  }
}
