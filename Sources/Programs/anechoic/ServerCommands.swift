internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Ask a server whether it is serving.",
    discussion: """
      Exits with 0 if the server is serving, with 1 if it is not, and with 2 if it cannot be asked. \
      Use this command as the HEALTHCHECK of a container, or to wait for a server that is starting:
        anechoic health --server 127.0.0.1:50051
        anechoic health --wait 10s
        anechoic health --server voice.example:50051 --ca-file ca.pem
        anechoic health --service anechoic.v1.VoiceProcessingService
      """)

  @OptionGroup var target: ServerOptions

  @Option(help: "The full name of one service. (default: the server as a whole)")
  var service = ""

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to wait for each answer, from 1s to 1h.", valueName: "time"))
  var timeout = DurationArgument(.seconds(5))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Ask again until the server is serving, for so long at most: 10s, 500ms, 2m.",
      valueName: "time"))
  var wait = DurationArgument(.zero)

  /// The time between two health checks.
  private static let pause = Duration.milliseconds(100)

  func validate() throws {
    guard (.seconds(1) ... .seconds(3600)).contains(timeout.duration) else {
      throw ValidationError("--timeout must be from 1s to 1h.")
    }
    guard wait.duration <= .seconds(3600) else {
      throw ValidationError("--wait must be at most 1h.")
    }
  }

  func run() async throws {
    let deadline = ContinuousClock.now + wait.duration
    let security = try target.connection.channelSecurity()
    let limit = max(wait.duration, target.connection.connectTimeout.duration)
    try await ServerWait.untilListening(at: target.server, atMost: limit)
    while true {
      let client = VoiceProcessingClient(
        server: target.server, security: security, credentials: target.connection.credentials)
      do {
        let status = try await client.health(of: service, timeout: timeout.duration)
        if status == .serving { return print("SERVING") }
        guard ContinuousClock.now < deadline else {
          print("NOT_SERVING")
          throw ExitCode(1)
        }
      } catch let status as Status {
        guard status.code == .unavailable, !status.isCertificateRefusal,
          ContinuousClock.now < deadline
        else { throw CommandError(status, server: target.server) }
      }
      try await Task.sleep(for: Self.pause)
    }
  }
}

struct CapabilitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capabilities",
    abstract: "Show the features, limits and load of a server.")

  @OptionGroup var target: ServerOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    do {
      let capabilities = try await target.client().capabilities()
      print(
        try json
          ? capabilities.jsonString() : capabilities.textFormatString(),
        terminator: json ? "\n" : "")
    } catch let status as Status {
      throw CommandError(status, server: target.server)
    }
  }
}
