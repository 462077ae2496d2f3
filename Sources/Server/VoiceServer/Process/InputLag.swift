internal import GRPCTransport

/// A meter of the time by which the microphone of a session is behind real time.
///
/// Media that arrives as early as the earliest media before is on time. Because the two clocks
/// differ, this reference moves by up to 1,000 ppm. A microphone that has kept pace for a second is
/// on time, however much it missed before, because the missing samples will not come any more.
struct InputLag {
  /// The lag in nanoseconds above which samples count as late.
  static let lateness = Duration.milliseconds(100).nanoseconds
  /// The lag in nanoseconds above which the client is warned. The warning ends when the lag is
  /// below `lateness` again.
  static let warning = Duration.milliseconds(500).nanoseconds
  private static let window = Duration.seconds(1).nanoseconds
  /// The maximum change of the lag, in nanoseconds, within a window in which the microphone keeps
  /// pace.
  private static let steadiness = Duration.milliseconds(20).nanoseconds

  private var start: ContinuousClock.Instant?
  /// The time of the last arrival, in nanoseconds since the start.
  private var last: Int64 = 0
  /// The media that had arrived by then, in nanoseconds.
  private var media: Int64 = 0
  /// The time in nanoseconds by which media that is on time is ahead of the clock.
  private var earliest: Int64 = 0
  /// The same, without the rule that a microphone that keeps pace is on time.
  private var earliestEver: Int64 = 0
  private var window: (time: Int64, ahead: Int64) = (0, 0)
  /// The length of the last arrival in nanoseconds: the next one is due after this time.
  private var interval: Int64 = 0
  /// The number of samples that came late.
  private(set) var lateSamples: UInt64 = 0
  /// Whether the client has been told that its microphone is late.
  private(set) var isLate = false

  /// Records the arrival of microphone samples that end at the media time `media`, in nanoseconds.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: True if the microphone has become late, false if it is no longer late, and nil if
  ///   nothing has changed.
  mutating func record(media: Int64, samples: Int64, now: ContinuousClock.Instant) -> Bool? {
    interval = min(max(0, media - self.media), Self.window)
    guard let start else {
      start = now
      self.media = media
      earliest = media
      earliestEver = media
      window.ahead = media
      return nil
    }
    let time = start.duration(to: now).nanoseconds
    let ahead = media - time
    earliest = max(ahead, earliest - (time - last) / RealTimePacer.clockTolerance)
    earliestEver = max(ahead, earliestEver - (time - last) / RealTimePacer.clockTolerance)
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

  /// Returns the time since which the next arrival is due. Returns nil before the first arrival. Runs
  /// per frame: no allocation, lock, log or await.
  func overdue(at now: ContinuousClock.Instant) -> Duration? { overdue(at: now, earliest) }

  /// Returns the time since which the next arrival is due by the earliest arrival, also for a
  /// microphone that is behind and has kept pace since. Returns nil before the first arrival. Runs per
  /// frame: no allocation, lock, log or await.
  func overdueEver(at now: ContinuousClock.Instant) -> Duration? { overdue(at: now, earliestEver) }

  private func overdue(at now: ContinuousClock.Instant, _ earliest: Int64) -> Duration? {
    start.map {
      let due = media + interval - earliest
      return .nanoseconds(max(0, $0.duration(to: now).nanoseconds - due))
    }
  }

  /// Forgets all arrivals, because the media continues on another connection.
  mutating func restart() {
    start = nil
    last = 0
    window = (0, 0)
  }

  /// Returns the lag of the microphone at a time, which includes samples that should have arrived
  /// by then. Returns nil before the first arrival.
  func value(at now: ContinuousClock.Instant) -> Duration? {
    start.map { .nanoseconds(max(0, earliest - (media - $0.duration(to: now).nanoseconds))) }
  }
}
