internal import ArgumentParser
internal import AudioCore
internal import CommandLineSupport

/// `anechoic-bridge realtime`.
struct RealtimeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realtime",
    abstract: "Remove echo and noise from the microphones of clients of a Realtime API.",
    discussion: """
      Clients connect to --listen as they would connect to the API of OpenAI or to a compatible one. The \
      bridge connects to --upstream with their headers for each, cleans their sound, and uses the sound of \
      the answers as the reference of the echo canceller.

        anechoic-bridge realtime --listen 127.0.0.1:9094 --upstream wss://api.openai.com
      """)

  @Option(help: ArgumentHelp("The address for clients: HOST:PORT.", valueName: "address"))
  var listen = "127.0.0.1:9094"

  @OptionGroup var security: ListenerSecurityOptions

  @OptionGroup var upstream: UpstreamOptions

  @Flag(
    help: """
      Let the Anechoic server find the turns of the person, in the place of the upstream. While there is \
      no server, the upstream finds them.
      """)
  var turns = false

  @Flag(
    help: """
      Begin each call with the echo path that the last call of the same client has learnt: of the same \
      Anechoic-Line header, or else of the same host.
      """)
  var keepEchoPath = false

  @Flag(
    inversion: .prefixedNo,
    help: "Truncate an answer upstream where the person interrupted it.")
  var truncate = true

  @Option(
    help: ArgumentHelp(
      "The rate of the clients' PCM in a session that names none: 8000, 16000, 24000, 32000, 44100 or "
        + "48000 Hz.", valueName: "hz"))
  var inputRate = RealtimeSession.pcmRate

  @Option(
    help: ArgumentHelp(
      "The rate of the answers' PCM in a session that names none: 8000, 16000, 24000, 32000, 44100 or "
        + "48000 Hz.", valueName: "hz"))
  var outputRate = RealtimeSession.pcmRate

  @OptionGroup var voice: VoiceOptions

  func validate() throws {
    try BridgeAddress.validate(listen)
    for (name, rate) in [("--input-rate", inputRate), ("--output-rate", outputRate)]
    where SampleRate(rawValue: rate) == nil {
      throw ValidationError("\(name): use 8000, 16000, 24000, 32000, 44100 or 48000.")
    }
  }

  func run() async throws {
    let security = try security.security()
    let (voice, delay) = (try voice.settings(detectsTurns: turns), voice.delay.duration)
    let metrics = BridgeMetrics()
    let echoPaths = keepEchoPath ? LineEchoPaths() : nil
    try await upstream.run(listeningOn: listen, security, metrics) {
      [truncate, turns, inputRate, outputRate] name, request in
      let line = echoPaths?.of(LineEchoPaths.client(of: request))
      var relay = RealtimeRelay.Settings(delay: delay) { rate, session in
        try ServedVoice(voice, rate: rate, call: session, line, metrics)
      }
      relay.truncates = truncate
      relay.inputRate = inputRate
      relay.outputRate = outputRate
      relay.findsTurns = turns
      return RealtimeRelay(name, relay, now: .now)
    }
  }
}
