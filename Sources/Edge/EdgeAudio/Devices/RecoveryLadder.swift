/// The steps to take when a running device fails: first the fastest one, then the most thorough
/// one.
///
/// A state machine without I/O. Faults and times go in, steps come out.
public struct RecoveryLadder {
  public enum Step: Sendable, Equatable {
    /// Prepare the device again and start it.
    case prepare
    /// Ask the device to resume, repeatedly.
    case resume
    /// Close the device and open it again.
    case reopen
  }

  /// The number of recoveries within `window` after which the device is opened again.
  public static let recoveries = 3
  public static let window = Duration.seconds(2)
  /// The time that the system may take to resume a device.
  public static let longestResume = Duration.seconds(2)

  private var recent: [Duration] = []
  private var asleepSince: Duration?
  private var wasPreparedAsleep = false

  public init() { recent.reserveCapacity(Self.recoveries) }

  /// Returns the next step after a fault. `now` is a time of a monotonic clock.
  public mutating func step(after fault: DeviceIOError, now: Duration) -> Step {
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

  /// Records that the device transferred samples.
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
