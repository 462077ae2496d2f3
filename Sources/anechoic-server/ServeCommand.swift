internal import AnechoicAPI
internal import ArgumentParser
internal import BundledEngines
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import VoiceEngines
internal import VoiceServer

/// Runs the server until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic-server",
    abstract: "Voice processing as a service: echo cancellation, noise suppression, gain control.",
    discussion: """
      A client opens a Process stream (anechoic.v1.VoiceProcessingService) for each microphone. It \
      sends the audio of the microphone and of the loudspeaker, and receives the processed voice and \
      events.

      Try it:
        anechoic-server &
        anechoic health --wait 10s
        anechoic process --server 127.0.0.1:50051 --microphone mic.wav \\
          --output voice.wav

      Listen for other machines, or in a container:
        anechoic-server --listen 0.0.0.0:50051

      Listen for this machine only, without a port:
        anechoic-server --listen unix:/run/anechoic/anechoic.sock

      Use TLS, and accept only clients with a certificate of the authority in ca.pem:
        anechoic-server --listen 0.0.0.0:50051 --tls-certificate server.pem \\
          --tls-key server.key --tls-client-ca ca.pem

      Every client that can reach the server may control the sessions of other clients, whatever \
      certificate it has.

      SIGTERM or SIGINT stops the server. It waits for running sessions to end, for --drain-time at \
      most, and exits with 0. A second signal ends the server at once with 1. The server exits with 2 \
      if it cannot start, and with 64 for wrong usage.
      """,
    version: anechoicVersion)

  @Option(
    name: .long,
    help: """
      An address to listen on: HOST:PORT, [IPv6]:PORT or unix:PATH; repeatable. Port 0 chooses a \
      free port. (default: 127.0.0.1:50051)
      """)
  var listen: [String] = []

  @OptionGroup var security: ListenerSecurityOptions

  @Option(
    parsing: .unconditional,
    help: "The number of threads for sessions: 1 to 1024. (default: the number of cores)")
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "The engine of sessions whose start names none: \(ServeCommand.engineNames).",
      valueName: "name"))
  var engine = EngineCatalog.bundled.defaultEngine.identity.name

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number of seconds for running sessions to end when the server stops: 0 to 86400.",
      valueName: "seconds"))
  var drainTime = 10

  @Flag(help: "Refuse injected speech, even in sessions that accept it.")
  var noInjection = false

  @Flag(help: "Do not describe the methods to clients (gRPC reflection).")
  var noReflection = false

  @Flag(help: "Allow clients to record sessions. The audio of a muted microphone is left out.")
  var allowRecording = false

  private static let engineNames = EngineCatalog.bundled.names.joined(separator: " or ")

  func validate() throws {
    if let problem = listen.lazy.compactMap(ServerAddress.listeningProblem).first {
      throw ValidationError("--listen: \(problem).")
    }
    do throws(UnknownEngine) {
      _ = try EngineCatalog.bundled.preferring(engine)
    } catch {
      throw ValidationError("--engine: \(error).")
    }
    guard (1...1024).contains(threads ?? 1) else {
      throw ValidationError("--threads must be from 1 to 1024.")
    }
    guard (0...86400).contains(drainTime) else {
      throw ValidationError("--drain-time must be from 0 to 86400.")
    }
  }

  func run() async throws {
    var configuration = ServerConfiguration(
      addresses: listen.isEmpty ? ["127.0.0.1:50051"] : listen,
      threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
      engines: try EngineCatalog.bundled.preferring(engine))
    configuration.security = try security.serverSecurity()
    configuration.limits = limits.limits
    configuration.servesReflection = !noReflection
    configuration.allowsInjection = !noInjection
    configuration.allowsRecording = allowRecording
    let signals = TerminationSignals()
    let trimming = MemoryTrimmer.run()
    defer { trimming.cancel() }
    let server: VoiceProcessingServer
    do {
      server = try VoiceProcessingServer(configuration)
    } catch {
      throw CommandFailure("\(error)")
    }
    for address in server.addresses {
      standardError("anechoic-server \(anechoicVersion): listening on \(address)\n")
    }
    await signals.first()
    standardError("anechoic-server: stopping; running sessions have \(drainTime) s to end\n")
    await server.stop(grace: .seconds(drainTime))
  }
}
