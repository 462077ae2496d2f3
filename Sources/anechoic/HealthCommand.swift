internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

struct HealthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Ask a server whether it serves.",
    discussion: """
      Exits with 0 when it does, 1 when it does not, 2 when it cannot be asked. Made for the \
      HEALTHCHECK of a container:
        anechoic health --server 127.0.0.1:50051
        anechoic health --server voice.example:50051 --ca-file ca.pem
        anechoic health --service anechoic.v1.VoiceProcessingService
      """)

  @OptionGroup var target: ServerOption

  @Option(help: "The full name of one service; without it, the server as a whole.")
  var service = ""

  @Option(help: "Seconds to wait for the answer.")
  var timeout = 5

  func validate() throws {
    guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600.") }
  }

  func run() async throws {
    do {
      let status = try await target.client().health(
        of: service, timeout: .seconds(timeout))
      print(status == .serving ? "SERVING" : "NOT_SERVING")
      if status != .serving { throw ExitCode(1) }
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }
}
