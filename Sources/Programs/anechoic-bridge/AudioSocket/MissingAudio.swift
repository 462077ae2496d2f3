/// The audio that an exchange does not send, because a network has lost it, while it goes on to
/// send other audio.
///
/// The time that the audio is behind the clock varies with the network. What the least of the last
/// moments is more than the least of the call was lost.
struct MissingAudio {
  /// The moments that count, in seconds: half of them at least.
  private static let moment = 0.3
  /// The clock of an exchange may be this much slower.
  private static let drift = 0.0002
  /// More than the rounding errors of a sum, and less than a sample.
  private static let tolerance = 1e-6

  private var began: ContinuousClock.Instant?
  /// The audio since then, in seconds.
  private var total = 0.0
  /// The least time behind the clock, in seconds: of this moment, of the one before, and of the
  /// call.
  private var least = (present: 0.0, before: Double?.none, ofCall: 0.0)
  private var momentBegan = 0.0

  /// Forgets everything, after a pause.
  mutating func restart() { self = MissingAudio() }

  /// Counts audio that has come, in seconds.
  mutating func came(_ seconds: Double, at now: ContinuousClock.Instant) {
    let first = began ?? now
    let time = (now - first) / .seconds(1)
    total += seconds
    let behind = time - total
    if began == nil {
      (began, momentBegan, least) = (first, time, (behind, nil, behind))
    } else if time - momentBegan >= Self.moment {
      least.ofCall += (time - momentBegan) * Self.drift
      (momentBegan, least.before, least.present) = (time, least.present, behind)
    }
    least.present = min(least.present, behind)
    least.ofCall = min(least.ofCall, behind)
  }

  /// Returns whether audio of this duration has been lost, and counts it as replaced if so.
  mutating func takes(_ seconds: Double) -> Bool {
    guard let before = least.before,
      min(least.present, before) - least.ofCall + Self.tolerance >= seconds
    else { return false }
    total += seconds
    least.present -= seconds
    least.before = before - seconds
    return true
  }
}
