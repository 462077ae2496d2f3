/// What to do when a running device fails: first what is quick, then what helps.
///
/// A state machine without I/O: faults and times in, steps out.
public struct RecoveryLadder {
  public enum Step: Sendable, Equatable {
    /// Make it ready again, and start it.
    case prepare
    /// Ask it to wake, again and again.
    case resume
    /// Close it and open it anew.
    case reopen
  }

  /// So many recoveries within `window` are one too many.
  public static let recoveries = 3
  public static let window = Duration.seconds(2)
  /// So long the system may take to wake a device.
  public static let longestResume = Duration.seconds(2)

  private var recent: [Duration] = []
  private var asleepSince: Duration?
  private var wasPreparedAsleep = false

  public init() { recent.reserveCapacity(Self.recoveries) }

  /// `now` by a clock that only goes forward.
  public mutating func step(after fault: DeviceFault, now: Duration) -> Step {
    switch fault {
    case .lost: return reopen()
    case .xrun: return recover(now)
    case .suspended:
      let since = asleepSince ?? now
      asleepSince = since
      if now - since < Self.longestResume { return .resume }
      if wasPreparedAsleep { return reopen() }
      wasPreparedAsleep = true
      return recover(now)
    }
  }

  /// It gave or took samples.
  public mutating func worked() {
    asleepSince = nil
    wasPreparedAsleep = false
  }

  private mutating func recover(_ now: Duration) -> Step {
    asleepSince = nil
    recent.removeAll { now - $0 >= Self.window }
    recent.append(now)
    return recent.count >= Self.recoveries ? reopen() : .prepare
  }

  private mutating func reopen() -> Step {
    recent.removeAll(keepingCapacity: true)
    worked()
    return .reopen
  }
}
