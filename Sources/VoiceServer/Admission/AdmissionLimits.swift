/// The limits that keep clients from using more than their share of a server.
///
/// Zero switches a limit off if its range says so. docs/reference/limits.md lists all limits with
/// the options of anechoic-server.
public struct AdmissionLimits: Sendable, Equatable {
  /// The time in which a client has to send the whole first message of any call.
  ///
  /// Default 10 s; 1 s to 10 min. A call that is late ends with DEADLINE_EXCEEDED, reason
  /// START_TIMEOUT.
  public var startDeadline = Duration.seconds(10)

  /// The time for which a session may receive no audio, and an injection no message. Chunks without
  /// samples count as audio.
  ///
  /// Default 5 min; 0 (off), or 1 s to 7 days. The call ends with ABORTED, reason IDLE. The event of
  /// a session has REASON_IDLE.
  public var idleLimit = Duration.seconds(5 * 60)

  /// The longest duration of a session, by the wall clock.
  ///
  /// Default 24 h; 0 (off), or 1 s to 365 days. The session ends with the event's
  /// REASON_MAX_DURATION and the status ABORTED, reason MAX_DURATION.
  public var longestSession = Duration.seconds(24 * 3600)

  /// The maximum number of sessions that run at the same time.
  ///
  /// Default 1,000; 1 or more. One more session is refused with RESOURCE_EXHAUSTED, reason
  /// SERVER_FULL.
  public var sessions = 1000

  /// The maximum number of sessions that run at the same time for the clients of one host. All
  /// clients of unix sockets count as one host. The name that a client gives itself does not count,
  /// because the server does not verify it.
  ///
  /// Default 0 (off); 0 or more. One more session is refused with RESOURCE_EXHAUSTED, reason
  /// CLIENT_FULL.
  public var sessionsPerClient = 0

  /// The maximum number of open calls on one connection. All clients of a unix socket count as one
  /// connection.
  ///
  /// Default 1,024; 1 to 1,000,000. Clients are told the limit and wait before they open more
  /// calls. A call of a client that does not wait ends with RESOURCE_EXHAUSTED.
  public var callsPerConnection = 1024

  /// The memory in bytes of all connections together, including incomplete messages. The memory of
  /// sessions does not count.
  ///
  /// Default 512 MiB; 0 (off), or 16 MiB to 1 TiB. When the memory runs out, the server reads more
  /// slowly and then closes connections. Their calls end with UNAVAILABLE or RESOURCE_EXHAUSTED.
  public var memoryBytes = 512 << 20

  /// The maximum size of a message in bytes. Compressed messages are refused with UNIMPLEMENTED.
  ///
  /// Default 4 MiB; 64 KiB to 64 MiB. A call with a larger message ends with RESOURCE_EXHAUSTED.
  public var messageBytes = 4 << 20

  /// The time for which a connection accepts new calls. Afterwards the client connects again, so
  /// that clients spread over all servers that share a name.
  ///
  /// Default 0 (off); 0, or 1 s to 30 days.
  public var connectionAge = Duration.zero

  /// The time for the calls of such a connection to end.
  ///
  /// Default 10 min; 1 s to 30 days. Calls that still run then end with UNAVAILABLE.
  public var connectionAgeGrace = Duration.seconds(10 * 60)

  /// The maximum number of calls that wait for their first message: as many as fill half of the
  /// memory with messages, but at least 16. Nil if the memory is unlimited.
  ///
  /// With one more call, the server chooses the host with the most such calls. The call of this
  /// host that has waited longest ends with RESOURCE_EXHAUSTED.
  var callsWithoutMessage: Int? {
    memoryBytes > 0 ? max(16, memoryBytes / 2 / messageBytes) : nil
  }

  public init() {}

  /// Throws the first limit that is out of its range.
  public func check() throws(LimitOutOfRange) {
    let second = Duration.seconds(1)
    let (minute, day) = (second * 60, second * 86_400)
    try check("start-deadline", startDeadline, second...minute * 10, "1s to 10m", canBeOff: false)
    try check("idle-limit", idleLimit, second...day * 7, "0, or 1s to 7d")
    try check("longest-session", longestSession, second...day * 365, "0, or 1s to 365d")
    try check("max-sessions", sessions, 1...Int.max, "1 or more", canBeOff: false)
    try check("max-sessions-per-client", sessionsPerClient, 0...Int.max, "0 or more")
    try check(
      "max-calls-per-connection", callsPerConnection, 1...1_000_000, "1 to 1000000", canBeOff: false
    )
    try check("max-memory", memoryBytes, 16 << 20...1 << 40, "0, or 16MiB to 1024GiB")
    try check("max-message", messageBytes, 64 << 10...64 << 20, "64KiB to 64MiB", canBeOff: false)
    try check("connection-age", connectionAge, second...day * 30, "0, or 1s to 30d")
    try check(
      "connection-age-grace", connectionAgeGrace, second...day * 30, "1s to 30d", canBeOff: false)
  }

  private func check<Value: Comparable & AdditiveArithmetic>(
    _ name: String, _ value: Value, _ range: ClosedRange<Value>, _ words: String,
    canBeOff: Bool = true
  ) throws(LimitOutOfRange) {
    if range.contains(value) || (canBeOff && value == .zero) { return }
    throw LimitOutOfRange(name: name, range: words)
  }
}

/// A limit whose value is out of its range.
public struct LimitOutOfRange: Error, CustomStringConvertible {
  /// The option of anechoic-server that sets the limit, without dashes.
  public let name: String
  /// The values that are allowed, such as `0, or 1s to 7d`.
  public let range: String

  public var description: String { "\(name) takes \(range)" }
}
