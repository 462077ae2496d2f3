internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Logging
internal import Operations
internal import Settings
internal import VoiceServer

/// Runs the server until SIGTERM or SIGINT.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic-server",
    abstract: "Voice processing as a service: echo cancellation, noise suppression, gain control.",
    discussion: """
      A client opens a Process stream (anechoic.v1.VoiceProcessingService) for each microphone. \
      It sends the audio of the microphone and of the loudspeaker, and receives the processed \
      voice and events.

      Try it:
        anechoic-server &
        anechoic health --wait 10s
        anechoic process --server 127.0.0.1:50051 --microphone mic.wav \\
          --output voice.wav

      Listen for other machines, or in a container, where every client may do everything:
        anechoic-server --listen 0.0.0.0:50051 --authentication none

      Require a token for each call:
        anechoic-server --listen 0.0.0.0:50051 --tls-certificate server.pem \\
          --tls-key server.key --authentication jwt --jwt-keys keys.json \\
          --jwt-issuer https://login.example --jwt-audience anechoic

      Listen for this machine only, without a port:
        anechoic-server --listen unix:/run/anechoic/anechoic.sock

      Use TLS, and know clients by their certificates of the authority in ca.pem:
        anechoic-server --listen 0.0.0.0:50051 --tls-certificate server.pem \\
          --tls-key server.key --tls-client-ca ca.pem --authentication certificate

      Without authentication, every client that can reach the server may control the sessions of \
      other clients.

      Each option is also a key of the settings file and an environment variable: --max-sessions \
      is max_sessions in the section limits, and ANECHOIC_MAX_SESSIONS. An option takes \
      precedence over a variable, and a variable over the file. docs/reference/configuration.md \
      lists all keys.

      SIGTERM or SIGINT stops the server. It refuses new sessions, waits for running ones to end, \
      for --drain-time at most, then ends them and exits with 0. A second signal ends them at \
      once. A third one exits with 1. The server exits with 2 if it cannot start, and with 64 for \
      wrong usage.
      """,
    version: Build.version,
    subcommands: [CheckConfigCommand.self, HealthcheckCommand.self, MeasureCommand.self])

  // Without a group around these groups: in debug builds, ArgumentParser checks a group five times
  // for each level above it, and the server would start slowly.
  @OptionGroup var file: SettingsFileOption
  @OptionGroup(title: "Listeners") var listen: SettingFlags<ListenFlags>
  @OptionGroup(title: "TLS") var tls: SettingFlags<TLSFlags>
  @OptionGroup(title: "Authentication") var authentication: SettingFlags<AuthenticationFlags>
  @OptionGroup(title: "Sessions") var sessions: SettingFlags<SessionsFlags>
  @OptionGroup(title: "Limits") var limits: SettingFlags<LimitsFlags>
  @OptionGroup(title: "Log") var log: SettingFlags<LogFlags>
  @OptionGroup(title: "Traces") var tracing: SettingFlags<TracingFlags>

  /// The settings that are given as options.
  var flags: [GivenFlag] {
    listen.given + tls.given + authentication.given + sessions.given + limits.given + log.given
      + tracing.given
  }

  /// Returns the settings on the command line, in the file and in the environment. `file` takes
  /// precedence over --config.
  func sources(file named: String? = nil) -> SettingsSources {
    SettingsSources(
      file: named ?? file.config, flags: flags, environment: ProcessInfo.processInfo.environment)
  }

  func run() async throws {
    let (signals, hangups) = (TerminationSignals(awaited: 2), ReloadSignals())
    let sources = sources()
    let settings = try sources.readForCommand()
    let values = settings.values
    let operations = try ServerOperations(
      format: values.logFormat, level: values.logLevel, auditLog: values.auditLog)
    let prepared = try settings.prepared { [logger = operations.logger] in
      logger.warning("\($0)")
    }
    for warning in settings.warnings + prepared.warnings {
      operations.logger.warning("\(warning)")
    }
    var configuration = prepared.configuration
    configuration.metrics = operations.metrics
    configuration.log = operations.log
    configuration.tracer = try operations.tracer(values.tracing)
    if configuration.security.isEncrypted { operations.observeHandshakes() }
    let trimming = MemoryTrimmer.run()
    defer { trimming.cancel() }
    let server: VoiceProcessingServer
    do {
      server = try VoiceProcessingServer(configuration)
    } catch {
      throw CommandError("\(error)")
    }
    do {
      try listenForOperators(server, configuration, settings, operations)
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
    Task.detached(priority: .background) { await server.measureEngines() }
    operations.tellStart(server, settings: values)
    let service = SystemdService(environment: ProcessInfo.processInfo.environment)
    let running = RunningServer(
      server, values, configuration, keys: prepared.keys, operations, service, from: sources)
    let watches = [
      Task { for await _ in hangups.signals { await running.reload() } },
      Task { await running.watchCertificates(every: .seconds(1)) },
      Task { await running.watchKeys(every: .seconds(2)) },
    ]
    let watchdog = Task { await service.watch(server) }
    if let problem = service.tellReady() { operations.logger.warning("\(problem)") }
    await signals.next()
    watchdog.cancel()
    let drainTime = await running.beginStop()
    operations.tell("stopping; running sessions have \(DurationArgument(drainTime)) to end")
    let hurry = Task {
      await signals.next()
      guard !Task.isCancelled else { return }
      operations.tell("the second signal ends the running sessions now")
      server.hurry()
    }
    await server.stop(grace: drainTime)
    hurry.cancel()
    for watch in watches { watch.cancel() }
    operations.close()
  }

  /// Starts the listeners for operators. If an address is the default one and cannot be used, the
  /// server runs without the listener.
  private func listenForOperators(
    _ server: VoiceProcessingServer, _ configuration: ServerConfiguration,
    _ settings: LayeredValues<ServerSettings>, _ operations: ServerOperations
  ) throws {
    let (health, http) = (settings.values.adminListen, settings.values.httpListen)
    if http != ServerSettings.off {
      try operations.listen(
        on: http, required: settings.origin("listen.http") != .defaultValue,
        identity: settings.values.tlsHTTP ? configuration.security.identity : nil, for: server,
        configuration.engines,
        injection: .init(
          isOn: { [injection = configuration.injection] in injection.isOn },
          set: { [injection = configuration.injection] in injection.set($0) }),
        needsScope: [.jwt, .certificate].contains(settings.values.authentication.mode),
        pages: PageSettings(settings.values), messageBytes: configuration.limits.messageBytes)
    }
    guard health != ServerSettings.off else { return }
    do throws(ServerStartError) {
      operations.tell("health for operators on \(try server.listenForOperators(at: health))")
    } catch {
      guard settings.origin("listen.admin") == .defaultValue else {
        throw CommandError("\(error)")
      }
      operations.logger.warning("no listener for operators: \(error); use --admin-listen")
    }
  }
}
