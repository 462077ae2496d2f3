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

  /// The longest time for which a session waits, suspended, for a client that lost its connection.
  /// Suspended sessions count as sessions.
  ///
  /// Default 10 s; 0 (off), or 1 s to 5 min. The session then ends with the event's
  /// REASON_CLIENT_LOST.
  public var resumeWindow = Duration.seconds(10)

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

  /// The share of a thread's time that its sessions in real time may take.
  ///
  /// Default 0.8; 0 (off), or 0.1 to 1. One more session is refused with RESOURCE_EXHAUSTED, reason
  /// OVERLOADED. If frames are late nevertheless, the sessions of the thread run with less
  /// processing.
  public var frameBudget = 0.8

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

  /// The time in which a client has to complete the TLS handshake and the start of HTTP/2.
  ///
  /// Default 10 s; 1 s to 2 min. A connection that is late is closed.
  public var handshakeTimeout = Duration.seconds(10)

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
  public func check() throws(LimitError) {
    try LimitRange.startDeadline.check(startDeadline, "start-deadline")
    try LimitRange.idleLimit.check(idleLimit, "idle-limit")
    try LimitRange.longestSession.check(longestSession, "longest-session")
    try LimitRange.resumeWindow.check(resumeWindow, "resume-window")
    try LimitRange.sessions.check(sessions, "max-sessions")
    try LimitRange.sessionsPerClient.check(sessionsPerClient, "max-sessions-per-client")
    try LimitRange.frameBudget.check(frameBudget, "frame-budget")
    try LimitRange.callsPerConnection.check(callsPerConnection, "max-calls-per-connection")
    try LimitRange.memoryBytes.check(memoryBytes, "max-memory")
    try LimitRange.messageBytes.check(messageBytes, "max-message")
    try LimitRange.handshakeTimeout.check(handshakeTimeout, "handshake-timeout")
    try LimitRange.connectionAge.check(connectionAge, "connection-age")
    try LimitRange.connectionAgeGrace.check(connectionAgeGrace, "connection-age-grace")
  }
}

/// A limit whose value is out of its range.
public struct LimitError: Error, CustomStringConvertible {
  /// The option of anechoic-server that sets the limit, without dashes.
  public let name: String
  /// The values that are allowed, such as `0, or 1s to 7d`.
  public let range: String

  public var description: String { "\(name) takes \(range)" }
}
