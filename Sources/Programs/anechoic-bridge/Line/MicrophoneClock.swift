/// The times at which a client took the samples of its microphone, from the times at which they
/// came.
///
/// Sound comes in blocks and late, so the sound that came earliest for its place counts: among that
/// of the last seconds, because the clock of the client is another one.
struct MicrophoneClock {
  typealias Instant = ContinuousClock.Instant

  /// The length of a period. The sound of the present period and of the one before counts.
  private static let memory = Duration.seconds(2)

  /// The rate in Hz.
  let rate: Int
  /// The time of sample 0, as the sound of this period and of the one before tells.
  private var origin: Instant?
  private var previousOrigin: Instant?
  private var periodBegan: Instant?

  init(rate: Int) { self.rate = rate }

  /// Records that sound came which ends before a sample.
  mutating func came(upTo sample: Int, at now: Instant) {
    let origin = now - .seconds(Double(sample) / Double(rate))
    guard let present = self.origin, let periodBegan, now - periodBegan < Self.memory else {
      (previousOrigin, self.origin, periodBegan) = (self.origin, origin, now)
      return
    }
    self.origin = min(present, origin)
  }

  /// Forgets everything: the samples have other times from here on.
  mutating func restart() { (origin, previousOrigin, periodBegan) = (nil, nil, nil) }

  /// Returns the sample that the client took at this time, or nil if no sound has come yet.
  func sample(at time: Instant) -> Int? {
    guard let origin else { return nil }
    let earliest = min(origin, previousOrigin ?? origin)
    return Int(((time - earliest) / .seconds(1) * Double(rate)).rounded())
  }
}
