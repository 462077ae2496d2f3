internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import VoiceServer
internal import WebRTCEngine

/// Serves until it is told to stop.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic-server",
    abstract: "Voice processing as a service: echo cancellation, noise suppression, gain control.",
    discussion: """
      Clients open a Process stream (anechoic.v1.VoiceProcessingService) for each microphone, send \
      its audio and what their loudspeaker plays, and get back the processed voice and events.

      Try it:
        anechoic-server &
        anechoic health
        anechoic process --server 127.0.0.1:50051 --microphone mic.wav --output out.wav

      For other machines, and in a container: --listen 0.0.0.0:50051
      For this machine only, without a port:  --listen unix:/run/anechoic/anechoic.sock

      With TLS, and only for clients whose certificates ca.pem vouches for:
        anechoic-server --listen 0.0.0.0:50051 --tls-certificate server.pem \
          --tls-key server.key --tls-client-ca ca.pem

      Who reaches the server may steer the sessions of others, whatever certificate it has.

      SIGTERM or SIGINT lets running sessions end within --drain-time; a second one stops at once.
      """,
    version: anechoicVersion)

  @Option(
    name: .long,
    help: """
      Where to listen: HOST:PORT, [IPv6]:PORT or unix:PATH; may be given more than once. \
      (default: 127.0.0.1:50051)
      """)
  var listen: [String] = []

  @OptionGroup var security: ListenerSecurityOptions

  @Option(help: "Threads that sessions run on. (default: the number of cores)")
  var threads: Int?

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @Option(help: "Seconds that running sessions are given to end when the server stops.")
  var drainTime = 10

  @Flag(help: "Let nobody inject speech into sessions, whatever the sessions allow.")
  var noInjection = false

  @Flag(help: "Do not describe the methods to clients (grpc.reflection).")
  var noReflection = false

  @Flag(help: "Let anybody record sessions: what a muted microphone hears is left out.")
  var allowRecording = false

  func validate() throws {
    guard (1...1024).contains(threads ?? 1) else {
      throw ValidationError("--threads takes 1 to 1024.")
    }
    guard (0...86400).contains(drainTime) else {
      throw ValidationError("--drain-time takes 0 to 86400.")
    }
  }

  func run() async throws {
    var configuration = ServerConfiguration(
      addresses: listen.isEmpty ? ["127.0.0.1:50051"] : listen,
      threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
      engine: WebRTCVoiceEngine.self)
    configuration.security = try security.serverSecurity()
    configuration.limits = limits.limits
    configuration.servesReflection = !noReflection
    configuration.allowsInjection = !noInjection
    configuration.allowsRecording = allowRecording
    let signals = TerminationSignals()
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
    standardError("anechoic-server: stopping, sessions have \(drainTime) s to end\n")
    await server.stop(grace: .seconds(drainTime))
  }
}
