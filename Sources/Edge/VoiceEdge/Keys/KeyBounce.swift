/// The bounces of keys, whose contacts may close several times for one press: a press so soon after
/// the last press or release of the key is none of a finger. A switch reports the state in which it
/// stays, which counts at any time.
struct KeyBounce {
  /// The time after a change in which another one is a bounce.
  private static let longest = Duration.milliseconds(50)

  private var changes: [HeadsetKey: ContinuousClock.Instant] = [:]

  /// Returns whether an event is a bounce. Call this for each event.
  mutating func includes(_ event: KeyEvent, at time: ContinuousClock.Instant = .now) -> Bool {
    let last = changes.updateValue(time, forKey: event.key)
    guard event.isPressed, !event.key.isSwitch, let last else { return false }
    return time - last < Self.longest
  }
}
