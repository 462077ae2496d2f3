internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import LinuxSystem
internal import LiveVoice
internal import Operations

/// The options of a bridge between WebSockets.
struct UpstreamOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The address of the upstream: ws://HOST:PORT/PATH, or wss://HOST/PATH with TLS. Without a path, that "
        + "of the client.", valueName: "url"))
  var upstream: String

  @Option(
    help: ArgumentHelp(
      "Verify the upstream with the certificate authorities in this PEM file. (default: the system's)",
      valueName: "file"))
  var upstreamCaFile: String?

  @Option(help: ArgumentHelp("The maximum number of calls at a time.", valueName: "count"))
  var maxCalls = 100

  @Option(
    help: ArgumentHelp(
      "The maximum size of a message of either side, 64KiB to 64MiB.", valueName: "size"))
  var maxMessage = ByteCountArgument(24 << 20)

  @OptionGroup var operators: OperatorOptions

  func validate() throws {
    guard let address = UpstreamAddress(upstream) else {
      throw ValidationError("--upstream: use ws://HOST:PORT/PATH or wss://HOST/PATH.")
    }
    guard upstreamCaFile == nil || address.isEncrypted else {
      throw ValidationError("--upstream-ca-file needs an --upstream with wss://.")
    }
    guard (1...10_000).contains(maxCalls) else {
      throw ValidationError("--max-calls must be 1 to 10000.")
    }
    guard (64 << 10...64 << 20).contains(maxMessage.bytes) else {
      throw ValidationError("--max-message must be 64KiB to 64MiB.")
    }
  }

  /// Bridges calls until SIGTERM or SIGINT. SIGHUP makes it read the files of
  /// `security` again.
  func run<Rules: Relay>(
    listeningOn address: String, _ security: ListenerSecurity?, _ metrics: BridgeMetrics,
    _ makeRelay: @escaping @Sendable (String, HTTPRequest) -> Rules
  ) async throws {
    guard let upstream = UpstreamAddress(upstream) else { throw CommandError("--upstream") }
    let signals = TerminationSignals()
    let watch = security.map { security in Task { await security.watch() } }
    let bridge: SocketBridge<Rules>
    do {
      let authorities = upstream.isEncrypted ? try TLSAuthorities(file: upstreamCaFile) : nil
      bridge = try SocketBridge(
        listeningOn: address,
        .init(
          dialer: UpstreamDialer(address: upstream, authorities: authorities),
          security: security?.http, messageBytes: maxMessage.bytes, maximumCalls: maxCalls,
          metrics: metrics, log: BridgeLog.write, makeRelay: makeRelay))
    } catch let error as TLSError {
      throw CommandError("\(upstreamCaFile ?? "the authorities of the system"): \(error)")
    } catch let error as ListeningError {
      throw CommandError("\(error)")
    }
    let listener = try operators.listen(for: bridge, metrics, security)
    BridgeLog.write("listening on \(bridge.address)")
    await signals.next()
    watch?.cancel()
    await bridge.stop()
    listener?.stop()
  }
}

/// The options of the telephone line of a call.
struct LineOptions: ParsableArguments {
  @Flag(
    help: """
      Begin each call with the echo path that the last call of the same exchange or account has learnt.
      """)
  var keepEchoPath = false

  /// The echo paths of lines, or nil if each call learns its own.
  var echoPaths: LineEchoPaths? { keepEchoPath ? LineEchoPaths() : nil }
}

/// The options of the voice of a call.
struct VoiceOptions: ParsableArguments {
  enum Fallback: String, ExpressibleByArgument, CaseIterable { case microphone, silence }
  enum Output: String, ExpressibleByArgument, CaseIterable { case people, recognizer }

  @Option(help: "The mic mode: standard, voice-isolation or wide-spectrum.")
  var micMode = MicModeArgument.standard

  @Option(help: "Whom the processed sound is for: people or recognizer.")
  var output = Output.people

  @Option(help: ArgumentHelp("An engine of the server. (default: the server's)", valueName: "name"))
  var engine = ""

  @Option(
    help: ArgumentHelp(
      "The delay from the microphone to the upstream, 50 ms to 1 s. Processed sound that comes later is not "
        + "used.", valueName: "time"))
  var delay = DurationArgument(.milliseconds(120))

  @Option(help: "The sound while there is no processed sound: microphone or silence.")
  var fallback = Fallback.microphone

  @OptionGroup var server: ServerOptions
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (Duration.milliseconds(50)...Duration.seconds(1)).contains(delay.duration) else {
      throw ValidationError("--delay must be 50ms to 1s.")
    }
  }

  /// Returns the settings of the voice. The format follows each call.
  func settings(detectsTurns: Bool = false) throws(CommandError) -> LiveVoiceOptions {
    var voice = LiveVoiceOptions(
      server: server.server, microphone: LiveVoiceOptions.Format(sampleRate: 8000))
    voice.clientName = identity.client.description
    voice.security = try server.connection.channelSecurity()
    voice.credentials = try server.connection.checkedCredentials()
    voice.micMode = micMode.mode
    voice.consumer = output == .recognizer ? .recognizer : .people
    voice.detectsTurns = detectsTurns
    voice.engine = engine
    voice.delay = delay.duration
    voice.fallback = fallback == .silence ? .silence : .microphone
    return voice
  }
}

/// The address that a bridge listens on.
enum BridgeAddress {
  static func validate(_ listen: String, option: String = "--listen") throws {
    if let problem = ServerAddress.listeningProblem(listen) {
      throw ValidationError("\(option): \(problem).")
    }
    guard case .host = ServerAddress(listen) else {
      throw ValidationError("\(option): use HOST:PORT.")
    }
  }
}

/// The log of a bridge: standard error, for which no call waits.
enum BridgeLog {
  /// The longest line in characters. Both sides of a call can send words that are logged.
  private static let longest = 500

  /// Writes a line. Characters that are not printable become spaces.
  static func write(_ line: String) {
    StandardErrorLog.write("anechoic-bridge: \(line.prefix(longest).printable)")
  }
}

extension StringProtocol {
  /// The text with spaces in the place of control characters.
  var printable: String {
    String(
      map { character in
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? " " : character
      })
  }
}
