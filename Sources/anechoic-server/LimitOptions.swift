internal import ArgumentParser
internal import CommandLineSupport
internal import VoiceServer

/// The options that limit the resources of clients.
struct LimitOptions: ParsableArguments {
  private static let usual = AdmissionLimits()

  @Option(
    parsing: .unconditional,
    help: "Refuse sessions over this number, 1 or more, with RESOURCE_EXHAUSTED.")
  var maxSessions = usual.sessions

  @Option(
    parsing: .unconditional,
    help: """
      Refuse sessions over this number for the clients of one host; 0 for no limit.
      """)
  var maxSessionsPerClient = usual.sessionsPerClient

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a call whose first message takes longer than this: 1s to 10m.", valueName: "time"))
  var startDeadline = DurationArgument(usual.startDeadline)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a session that receives no audio for this time: 1s to 7d, or 0 for never.",
      valueName: "time"))
  var idleLimit = DurationArgument(usual.idleLimit)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a session after this time: 1s to 365d, or 0 for never.", valueName: "time"))
  var longestSession = DurationArgument(usual.longestSession)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Allow this number of open calls on one connection: 1 to 1000000.", valueName: "calls"))
  var maxCallsPerConnection = usual.callsPerConnection

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The memory of all connections, without sessions: 16MiB to 1024GiB, or 0 for no limit.
      """, valueName: "bytes"))
  var maxMemory = ByteCountArgument(usual.memoryBytes)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End a call that sends a larger message than this: 64KiB to 64MiB.", valueName: "bytes"))
  var maxMessage = ByteCountArgument(usual.messageBytes)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Make clients connect again after this time: 1s to 30d, or 0 for never.", valueName: "time"))
  var connectionAge = DurationArgument(usual.connectionAge)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time for running calls to end after --connection-age: 1s to 30d.",
      valueName: "time"))
  var connectionAgeGrace = DurationArgument(usual.connectionAgeGrace)

  func validate() throws {
    do {
      try limits.check()
    } catch {
      throw ValidationError("--\(error).")
    }
  }

  var limits: AdmissionLimits {
    var limits = AdmissionLimits()
    limits.startDeadline = startDeadline.duration
    limits.idleLimit = idleLimit.duration
    limits.longestSession = longestSession.duration
    limits.sessions = maxSessions
    limits.sessionsPerClient = maxSessionsPerClient
    limits.callsPerConnection = maxCallsPerConnection
    limits.memoryBytes = maxMemory.bytes
    limits.messageBytes = maxMessage.bytes
    limits.connectionAge = connectionAge.duration
    limits.connectionAgeGrace = connectionAgeGrace.duration
    return limits
  }
}
