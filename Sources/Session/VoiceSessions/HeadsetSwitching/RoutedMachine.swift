/// A machine of a group: its activity, and the state of its media during a call.
struct RoutedMachine: Sendable, Equatable {
  typealias Instant = ContinuousClock.Instant

  let name: String
  private(set) var activity = Activity()
  /// The headsets that the machine held by the decision of an arbiter that has forgotten the group, until it
  /// cannot use them or another machine holds them.
  private(set) var heldBefore: Set<String>
  var lastUsed: Instant
  /// The time at which the connection was lost. Nil while it is connected.
  var lostAt: Instant?
  private var call = ActivityTrack()
  private var media = ActivityTrack()
  private(set) var pause = Pause.none

  /// The state of media with regard to calls.
  enum Pause: Sendable, Equatable {
    case none
    /// The media was asked to pause. It began at `since`, and may not be resumed before a time.
    case paused(since: Instant, notBefore: Instant?)
    /// The media was asked to resume, and keeps its claim until a time.
    case resuming(since: Instant, until: Instant)
  }

  init(_ name: String, heldBefore: Set<String> = [], now: Instant) {
    self.name = name
    self.heldBefore = heldBefore
    lastUsed = now
  }

  var hasCall: Bool { call.isActive }
  var playsMedia: Bool { media.isActive }

  var isPaused: Bool {
    if case .paused = pause { true } else { false }
  }

  /// Takes a new activity. Returns whether a kind of activity has begun.
  mutating func accept(_ new: Activity, now: Instant) -> Bool {
    let startsCall = new.hasOpenMicrophone && !call.isActive
    let startsMedia = new.playsMedia && !media.isActive
    call.set(new.hasOpenMicrophone, now: now)
    var mediaStart: Instant?
    if startsMedia {
      // Media that resumes continues its earlier claim. Media that a person starts during a call does not.
      if case .resuming(let since, let until) = pause, now < until { mediaStart = since }
      pause = .none
    }
    media.set(new.playsMedia, now: now, start: mediaStart)
    activity = new
    heldBefore.formIntersection(new.headsets)
    if startsCall || startsMedia { lastUsed = now }
    if let idle = new.sinceUserInput, idle >= .zero { lastUsed = max(lastUsed, now - idle) }
    return startsCall || startsMedia
  }

  /// Whether media plays, or may begin at any moment because it was asked to resume.
  func mayPlay(now: Instant) -> Bool {
    switch pause {
    case .paused: false
    case .resuming(_, let until): playsMedia || now < until
    case .none: playsMedia
    }
  }

  /// Whether a call has begun on the machine at most this time ago, and lasts.
  func hasBegunCall(within time: Duration, of now: Instant) -> Bool {
    hasCall && call.since.map { now < $0 + time } ?? false
  }

  mutating func pauseMedia(now: Instant, notBefore: Instant? = nil) {
    let since: Instant? = if case .resuming(let since, _) = pause { since } else { media.since }
    pause = .paused(since: since ?? now, notBefore: notBefore)
  }

  /// Returns whether paused media may be resumed once there is no call.
  func mayResume(now: Instant) -> Bool {
    guard case .paused(_, let notBefore) = pause else { return false }
    return notBefore.map { now >= $0 } ?? true
  }

  mutating func resumeMedia(now: Instant, within limit: Duration) {
    guard case .paused(let since, _) = pause else { return }
    pause = .resuming(since: since, until: now + limit)
  }

  mutating func forgetPause() { pause = .none }

  /// Records the holder of a headset that the machine can use.
  mutating func follow(holder: String?, of headset: String) {
    if holder != name { heldBefore.remove(headset) }
  }

  /// Whether the machine has a call, or had one until a moment ago.
  func hasCall(now: Instant, _ times: RoutingTimes) -> Bool {
    call.start(now: now, linger: times.linger) != nil
  }

  func claim(now: Instant, _ times: RoutingTimes) -> Claim {
    if let since = call.start(now: now, linger: times.linger) { return Claim(.call, since: since) }
    if let since = media.start(now: now, linger: times.linger) {
      return Claim(.media, since: since)
    }
    switch pause {
    case .paused(let since, _): return Claim(.media, since: since)
    case .resuming(let since, let until) where now < until: return Claim(.media, since: since)
    default: return Claim(.none, since: lastUsed)
    }
  }

  /// Returns the next time at which the state changes without an event.
  func deadline(after now: Instant, _ times: RoutingTimes) -> Instant? {
    var deadlines = [
      call.end(after: now, linger: times.linger), media.end(after: now, linger: times.linger),
      lostAt.map { $0 + times.absence },
    ]
    switch pause {
    case .paused(_, let notBefore): deadlines.append(notBefore)
    case .resuming(_, let until): deadlines.append(until)
    case .none: break
    }
    return deadlines.compactMap { $0 }.filter { $0 > now }.min()
  }
}
