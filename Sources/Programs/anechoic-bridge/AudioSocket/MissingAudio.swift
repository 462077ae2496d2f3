/// The audio that an exchange does not send, because a network has lost it, while it goes on to
/// send other audio.
///
/// Audio is behind the clock by the delay of the network, which varies, and by what was lost. If even
/// the smallest delay of the last moments exceeds the smallest delay of the call, the difference was
/// lost. A network that is slow for a moment looks the same: audio that comes after its place was
/// taken is left out.
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
  /// The audio that was replaced and may still come, in seconds.
  private var replaced = 0.0
  /// The least time behind the clock, in seconds: of this moment, of the one before, and of the
  /// call.
  private var least = (present: 0.0, before: Double?.none, ofCall: 0.0)
  private var momentBegan = 0.0

  /// Forgets everything, after a pause.
  mutating func restart() { self = MissingAudio() }

  /// Counts audio that has come, in seconds. Returns whether its place is free: audio that was replaced
  /// has come too late.
  mutating func came(_ seconds: Double, at now: ContinuousClock.Instant) -> Bool {
    let first = began ?? now
    let time = (now - first) / .seconds(1)
    let behind = time - total - seconds
    guard began != nil else {
      (began, momentBegan, least) = (first, time, (behind, nil, behind))
      total = seconds
      return true
    }
    if replaced + Self.tolerance >= seconds, behind <= least.ofCall - seconds + Self.tolerance {
      replaced -= seconds
      return false
    }
    total += seconds
    if time - momentBegan >= Self.moment {
      least.ofCall += (time - momentBegan) * Self.drift
      (momentBegan, least.before, least.present) = (time, least.present, behind)
    }
    least.present = min(least.present, behind)
    if replaced < Self.tolerance { least.ofCall = min(least.ofCall, behind) }
    return true
  }

  /// Returns whether audio of this duration has been lost, and counts it as replaced if so.
  mutating func takes(_ seconds: Double) -> Bool {
    guard let before = least.before,
      min(least.present, before) - least.ofCall + Self.tolerance >= seconds
    else { return false }
    total += seconds
    replaced += seconds
    least.present -= seconds
    least.before = before - seconds
    return true
  }
}
