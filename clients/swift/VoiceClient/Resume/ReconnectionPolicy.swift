/// The limits within which a `ResumableStream` tries to get its session back.
public struct ReconnectionPolicy: Sendable, Equatable {
  /// The time before the first attempt, and the longest time between two attempts. The time doubles
  /// with each attempt, and varies at random by 30 %.
  public var delays = Duration.milliseconds(100)...Duration.milliseconds(500)
  /// The time between two attempts once the server has been away for `longAbsence`.
  public var laterDelay = Duration.seconds(5)
  /// The time without any server after which the attempts come at `laterDelay`.
  public var longAbsence = Duration.seconds(60)
  /// The longest time for one attempt.
  public var attemptTimeout = Duration.seconds(2)
  /// The time for which the same server is tried alone if there are others. A server that answers,
  /// but does not know the session, ends this time at once.
  public var loyalty = Duration.seconds(2)
  /// The time without any server after which `receive` throws the last status. With 0, a lost
  /// connection is the end.
  public var longestOutage = Duration.seconds(60)
  /// The time without a response, while audio is being sent in real time, after which a connection
  /// counts as lost. A network that fails silently is noticed by this alone.
  public var silence = Duration.seconds(2)
  /// The audio that is kept to be sent after a loss. Older audio becomes a gap.
  public var buffer = Duration.seconds(2)

  /// The time that a session must last to count as a success. After shorter sessions, the times
  /// between attempts keep growing.
  package static let shortSession = Duration.seconds(1)

  /// Creates a policy with the default limits.
  public init() {}

  /// Returns the time to wait before an attempt. The first one has the number 0. `away` is the time for
  /// which there has been no server, and `least` the time for which a server asked.
  func delay(
    beforeAttempt attempt: Int, away: Duration, atLeast least: Duration = .zero,
    random: Double = .random(in: -1...1)
  ) -> Duration {
    let doubled = delays.lowerBound * (1 << min(attempt, 16))
    let delay = away < longAbsence ? min(doubled, delays.upperBound) : laterDelay
    return max(Self.varied(delay, random), least * (1 + Self.variation * abs(random)))
  }

  /// The share by which a time between two attempts varies.
  private static let variation = 0.3

  /// Returns a time that varies at random, so that not all clients come at once. `random` is within -1...1.
  package static func varied(
    _ time: Duration, _ random: Double = .random(in: -1...1)
  ) -> Duration {
    time * (1 + variation * random)
  }
}

/// The decisions after a lost connection. A pure state machine: it does no I/O and reads no clock.
struct Reconnection {
  /// The next attempt.
  enum Step: Equatable {
    /// Continue the session on the server that has it.
    case resume(after: Duration)
    /// Start a new session on the server with this index.
    case restart(server: Int, after: Duration)
    case giveUp
  }

  private let policy: ReconnectionPolicy
  private let serverCount: Int
  private let failures: Int
  private let lostAt: ContinuousClock.Instant
  /// The time until which the session waits. Nil if it cannot be resumed.
  private var waitsUntil: ContinuousClock.Instant?
  /// The number of attempts.
  private(set) var attempts = 0
  private var server: Int
  /// The time for which the present server asked to wait.
  private var wanted = Duration.zero

  /// - Parameters:
  ///   - window: The time for which the session waits. Nil if it cannot be resumed.
  ///   - failures: The number of earlier attempts, if the connection was lost as soon as it was
  ///     made.
  init(
    _ policy: ReconnectionPolicy, window: Duration?, server: Int, of serverCount: Int,
    after failures: Int = 0, now: ContinuousClock.Instant
  ) {
    self.policy = policy
    (self.failures, attempts) = (failures, failures)
    self.server = server
    self.serverCount = serverCount
    lostAt = now
    // The server may notice the loss later than the client, never much earlier.
    let loyalty = serverCount > 1 ? policy.loyalty : .seconds(3600)
    waitsUntil = window.map { now + min($0, loyalty) }
  }

  /// Records that the server does not know the session any more. A new one follows at once, unless
  /// the last one was lost as soon as it had started.
  mutating func sessionIsGone() {
    waitsUntil = nil
    attempts = failures
  }

  /// Records that the server asks to wait for a time before the next attempt. The time does not
  /// apply to other servers.
  mutating func wait(for time: Duration) {
    if serverCount == 1 || waitsUntil != nil { wanted = time }
  }

  mutating func next(now: ContinuousClock.Instant, random: Double) -> Step {
    guard now - lostAt < policy.longestOutage else { return .giveUp }
    let delay = policy.delay(
      beforeAttempt: attempts, away: now - lostAt, atLeast: wanted, random: random)
    defer { wanted = .zero }
    attempts += 1
    if let waitsUntil, now + delay < waitsUntil { return .resume(after: delay) }
    if waitsUntil != nil {
      waitsUntil = nil
      // The server that has the session has not answered, or has named a time, which holds for it alone.
      server = (server + 1) % serverCount
      attempts = 1
      return .restart(server: server, after: serverCount == 1 && wanted > .zero ? delay : .zero)
    }
    defer { server = (server + 1) % serverCount }
    return .restart(server: server, after: attempts == 1 && wanted == .zero ? .zero : delay)
  }
}
