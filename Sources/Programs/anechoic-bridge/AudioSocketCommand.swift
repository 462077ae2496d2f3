internal import ArgumentParser
internal import AudioCore
internal import CommandLineSupport
internal import GRPCTransport
internal import LinuxSystem
internal import LiveVoice
internal import Operations

/// `anechoic-bridge audiosocket`.
struct AudioSocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audiosocket",
    abstract: "Remove echo and noise from telephone calls that Asterisk or FreeSWITCH sends.",
    discussion: """
      The exchange connects to --listen for each call, as AudioSocket defines. The bridge connects to \
      --application, which speaks AudioSocket too: it hears the caller without the echo of its own \
      sound.

        anechoic-bridge audiosocket --listen 127.0.0.1:9092 --application 127.0.0.1:9093

      In Asterisk's dialplan: AudioSocket(${UUID},127.0.0.1:9092)
      """)

  @Option(help: ArgumentHelp("The address for the exchange: HOST:PORT.", valueName: "address"))
  var listen = "127.0.0.1:9092"

  @OptionGroup var security: ListenerSecurityOptions

  @Option(help: ArgumentHelp("The address of the application: HOST:PORT.", valueName: "address"))
  var application: String

  @Option(help: ArgumentHelp("The maximum number of calls at a time.", valueName: "count"))
  var maxCalls = 100

  @Option(
    help: ArgumentHelp(
      "The sample rate of a type of audio messages, for programs that differ from Asterisk 21: "
        + "0x11=16000. Types: 0x10 to 0x18. Rates: 8000, 16000, 24000, 32000, 44100 or 48000 Hz.",
      valueName: "type=rate"))
  var audioType: [AudioTypeArgument] = []

  @OptionGroup var operators: OperatorOptions

  @OptionGroup var line: LineOptions

  @OptionGroup var voice: VoiceOptions

  func validate() throws {
    try BridgeAddress.validate(listen)
    if let problem = ServerAddress.connectingProblem(application) {
      throw ValidationError("--application: \(problem).")
    }
    guard case .host = ServerAddress(application) else {
      throw ValidationError("--application: use HOST:PORT.")
    }
    guard (1...10_000).contains(maxCalls) else {
      throw ValidationError("--max-calls must be 1 to 10000.")
    }
  }

  func run() async throws {
    let signals = TerminationSignals()
    let security = try security.security()
    var settings = try settings()
    settings.security = security?.http
    let watch = security.map { security in Task { await security.watch() } }
    let bridge: AudioSocketBridge
    do {
      bridge = try AudioSocketBridge(listeningOn: listen, settings)
    } catch {
      throw CommandError("\(error)")
    }
    let listener = try operators.listen(for: bridge, settings.metrics, security)
    BridgeLog.write("listening on \(bridge.address)")
    await signals.next()
    watch?.cancel()
    await bridge.stop()
    listener?.stop()
  }

  private func settings() throws -> BridgeSettings {
    guard case .host(let host, let port) = ServerAddress(application) else {
      throw CommandError("--application: use HOST:PORT")
    }
    var settings = BridgeSettings(
      host: host, port: port, voice: try voice.settings(), log: BridgeLog.write)
    settings.maximumCalls = maxCalls
    settings.echoPaths = line.echoPaths
    for argument in audioType { settings.types[argument.type] = argument.rate }
    return settings
  }
}

/// A mic mode on a command line.
enum MicModeArgument: String, ExpressibleByArgument, CaseIterable {
  case standard
  case voiceIsolation = "voice-isolation"
  case wideSpectrum = "wide-spectrum"

  var mode: LiveVoiceOptions.MicMode {
    switch self {
    case .standard: .standard
    case .voiceIsolation: .voiceIsolation
    case .wideSpectrum: .wideSpectrum
    }
  }
}

/// `0x11=16000` on a command line.
struct AudioTypeArgument: ExpressibleByArgument {
  let type: UInt8
  let rate: Int

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].hasPrefix("0x"),
      let type = UInt8(parts[0].dropFirst(2), radix: 16), (0x10...0x18).contains(type),
      let rate = Int(parts[1]), SampleRate(rawValue: rate) != nil
    else { return nil }
    self.type = type
    self.rate = rate
  }
}
