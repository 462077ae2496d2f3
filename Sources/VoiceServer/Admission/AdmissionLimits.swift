/// The limits that keep clients from taking more of a server than their share.
///
/// A limit of zero is off where the range says so. docs/reference/limits.md lists all of them with
/// the options of anechoic-server.
public struct AdmissionLimits: Sendable, Equatable {
  /// The time that a client has to send the first message of any call, in full.
  ///
  /// Default 10 s; 1 s to 10 min. A late call ends with DEADLINE_EXCEEDED,
  /// reason START_TIMEOUT.
  public var startDeadline = Duration.seconds(10)

  /// The time that a session may receive no audio. Chunks without samples count as audio.
  ///
  /// Default 5 min; 0 (off), or 1 s to 7 days. The session ends with the event's REASON_IDLE and the
  /// status ABORTED, reason IDLE.
  public var idleLimit = Duration.seconds(5 * 60)

  /// The time that a session may last, by the wall clock.
  ///
  /// Default 24 h; 0 (off), or 1 s to 365 days. The session ends with the event's REASON_MAX_DURATION
  /// and the status ABORTED, reason MAX_DURATION.
  public var longestSession = Duration.seconds(24 * 3600)

  /// The sessions that run at a time.
  ///
  /// Default 1,000; 1 or more. A further session is refused with RESOURCE_EXHAUSTED, reason
  /// SERVER_FULL.
  public var sessions = 1000

  /// The sessions that run at a time for the clients of one host. All clients of unix sockets count as
  /// one host. The name that a client gives itself does not count, because nobody checks it.
  ///
  /// Default 0 (off); 0 or more. A further session is refused with RESOURCE_EXHAUSTED, reason
  /// CLIENT_FULL.
  public var sessionsPerClient = 0

  /// The calls that one connection may have open at a time. All clients of a unix socket count as one
  /// connection.
  ///
  /// Default 1,024; 1 to 1,000,000. A client is told the limit and waits with further calls; a call of
  /// a client that does not obey ends with RESOURCE_EXHAUSTED.
  public var callsPerConnection = 1024

  /// The memory in bytes of all connections together, with the messages that have not arrived in full.
  /// Sessions are not part of it.
  ///
  /// Default 512 MiB; 0 (off), or 16 MiB to 1 TiB. When it runs out, the server reads more slowly and
  /// then closes connections, whose calls end with UNAVAILABLE or RESOURCE_EXHAUSTED.
  public var memoryBytes = 512 << 20

  /// The size of a message in bytes. Compressed messages are refused with UNIMPLEMENTED.
  ///
  /// Default 4 MiB; 64 KiB to 64 MiB. A call with a larger message ends with RESOURCE_EXHAUSTED.
  public var messageBytes = 4 << 20

  /// The time after which a connection takes no new calls, so that clients spread over the servers
  /// behind a name anew.
  ///
  /// Default 0 (off); 0, or 1 s to 30 days. The client connects anew.
  public var connectionAge = Duration.zero

  /// The time that the calls of such a connection have left to end.
  ///
  /// Default 10 min; 1 s to 30 days. Calls that still run then end with UNAVAILABLE.
  public var connectionAgeGrace = Duration.seconds(10 * 60)

  /// The calls that wait for their first message at a time: as many as fill half of the memory with
  /// messages, 16 at least. Unlimited with unlimited memory.
  ///
  /// One more ends the call that has waited longest of the host with the most such calls, with
  /// RESOURCE_EXHAUSTED.
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

/// A limit that no server can have.
public struct LimitOutOfRange: Error, CustomStringConvertible {
  /// The limit's option of anechoic-server, without dashes.
  public let name: String
  /// The values that the limit takes, such as `0, or 1s to 7d`.
  public let range: String

  public var description: String { "\(name) takes \(range)" }
}
