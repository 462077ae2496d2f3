internal import GRPCTransport

/// Follows how far the microphone of a session is behind real time.
///
/// Media that arrives as early as ever is on time. As the two clocks differ, what counts as on time
/// moves by up to 1,000 ppm. A microphone that kept pace for a second is on time, whatever it missed
/// before: what has not come by then is not on its way.
struct InputLag {
  /// Later than this, a sample counts as late.
  static let lateness = Duration.milliseconds(100).nanoseconds
  /// Later than this, the client is told; until the lag is below `lateness` again.
  static let warning = Duration.milliseconds(500).nanoseconds
  private static let window = Duration.seconds(1).nanoseconds
  /// How much the lag may change within a window of a microphone that keeps pace.
  private static let steadiness = Duration.milliseconds(20).nanoseconds

  private var start: ContinuousClock.Instant?
  private var last: Int64 = 0  // time of the last arrival, in nanoseconds since the start
  private var media: Int64 = 0  // what had come by then
  private var earliest: Int64 = 0  // by how much media that is on time is ahead of time
  private var window: (time: Int64, ahead: Int64) = (0, 0)
  /// Samples that came late.
  private(set) var lateSamples: UInt64 = 0
  /// Whether the client has been told that its microphone is late.
  private(set) var isLate = false

  /// Takes in that `samples` of the microphone came, which end at `media` nanoseconds. Runs per frame:
  /// no allocation, lock, log or await.
  ///
  /// - Returns: Whether the microphone has become late or is late no more; nil for no change.
  mutating func note(media: Int64, samples: Int64, now: ContinuousClock.Instant) -> Bool? {
    guard let start else {
      start = now
      self.media = media
      earliest = media
      window.ahead = media
      return nil
    }
    let time = start.duration(to: now).nanoseconds
    let ahead = media - time
    earliest = max(ahead, earliest - (time - last) / RealTimePacer.clockTolerance)
    last = time
    self.media = media
    if time - window.time >= Self.window {
      if abs(ahead - window.ahead) < Self.steadiness { earliest = ahead }
      window = (time, ahead)
    }
    let lag = earliest - ahead
    if lag > Self.lateness { lateSamples += UInt64(samples) }
    guard isLate ? lag < Self.lateness : lag > Self.warning else { return nil }
    isLate.toggle()
    return isLate
  }

  /// How far the microphone is behind at a time, with what should have come by then. Nil before the
  /// first arrival.
  func value(at now: ContinuousClock.Instant) -> Duration? {
    start.map { .nanoseconds(max(0, earliest - (media - $0.duration(to: now).nanoseconds))) }
  }
}
