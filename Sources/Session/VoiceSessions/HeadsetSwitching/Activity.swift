/// The activity that a machine reports.
public struct Activity: Sendable, Equatable {
  /// The headsets that the machine can use now.
  public var headsets: Set<String>
  /// The headsets that a person chose on the machine itself.
  public var chosenHeadsets: Set<String>
  /// Whether a program has an open microphone.
  public var hasOpenMicrophone: Bool
  /// Whether a program plays long-form media.
  public var playsMedia: Bool
  /// Whether a notification sounds, which decides nothing.
  public var playsNotification: Bool
  /// The time since a person used the machine. Nil if it is not known.
  public var sinceUserInput: Duration?

  public init(
    headsets: Set<String> = [], chosenHeadsets: Set<String> = [], hasOpenMicrophone: Bool = false,
    playsMedia: Bool = false, playsNotification: Bool = false, sinceUserInput: Duration? = nil
  ) {
    self.headsets = headsets
    self.chosenHeadsets = chosenHeadsets
    self.hasOpenMicrophone = hasOpenMicrophone
    self.playsMedia = playsMedia
    self.playsNotification = playsNotification
    self.sinceUserInput = sinceUserInput
  }
}

/// The right of a machine to a headset, by its activity. A call beats media.
public struct Claim: Sendable, Equatable {
  public enum Rank: Int, Sendable, Comparable {
    case none
    case media
    case call

    public static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  public var rank: Rank
  /// The time at which the activity began.
  public var since: ContinuousClock.Instant

  public init(_ rank: Rank, since: ContinuousClock.Instant) {
    self.rank = rank
    self.since = since
  }
}

/// The course of one kind of activity. It counts for a while after its end.
struct ActivityTrack: Sendable, Equatable {
  private(set) var since: ContinuousClock.Instant?
  private var endedAt: ContinuousClock.Instant?

  var isActive: Bool { since != nil && endedAt == nil }

  /// Records the activity. A new one begins at `start`.
  mutating func set(
    _ isActive: Bool, now: ContinuousClock.Instant, start: ContinuousClock.Instant? = nil
  ) {
    guard isActive != self.isActive else { return }
    if isActive {
      since = start ?? now
      endedAt = nil
    } else {
      endedAt = now
    }
  }

  /// Returns the begin of the activity, unless it ended `linger` ago or earlier.
  func start(now: ContinuousClock.Instant, linger: Duration) -> ContinuousClock.Instant? {
    guard let endedAt else { return since }
    return now < endedAt + linger ? since : nil
  }

  /// Returns the time at which an ended activity stops counting, or nil if that time has passed.
  func end(after now: ContinuousClock.Instant, linger: Duration) -> ContinuousClock.Instant? {
    endedAt.map { $0 + linger }.flatMap { $0 > now ? $0 : nil }
  }
}
