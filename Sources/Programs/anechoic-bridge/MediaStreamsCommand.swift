internal import ArgumentParser
internal import CommandLineSupport

/// `anechoic-bridge media-streams`.
struct MediaStreamsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "media-streams",
    abstract: "Remove echo and noise from telephone calls that a provider sends as media streams.",
    discussion: """
      The provider connects to --listen for each call, as Twilio's Media Streams define. The bridge \
      connects to --upstream, the application: it hears the caller without the echo of its own sound.

        anechoic-bridge media-streams --listen 127.0.0.1:9095 --upstream ws://127.0.0.1:8080/media
      """)

  @Option(help: ArgumentHelp("The address for the provider: HOST:PORT.", valueName: "address"))
  var listen = "127.0.0.1:9095"

  @OptionGroup var security: ListenerSecurityOptions

  @OptionGroup var upstream: UpstreamOptions

  @Option(
    help: ArgumentHelp(
      "The format of the application's sound, such as audio/x-l16;rate=16000, or none: it is no reference "
        + "then. (default: that of the stream)", valueName: "format"))
  var applicationFormat: ApplicationFormatArgument?

  @OptionGroup var line: LineOptions

  @OptionGroup var voice: VoiceOptions

  func validate() throws { try BridgeAddress.validate(listen) }

  func run() async throws {
    let security = try security.security()
    let (voice, delay) = (try voice.settings(), voice.delay.duration)
    let (echoPaths, metrics) = (line.echoPaths, BridgeMetrics())
    let format = applicationFormat?.format ?? .ofStream
    let relay = MediaStreamRelay.Settings(delay: delay, applicationFormat: format) { rate, start in
      try ServedVoice(voice, rate: rate, call: start.call, echoPaths?.of(start.line), metrics)
    }
    try await upstream.run(listeningOn: listen, security, metrics) { name, _ in
      MediaStreamRelay(name, relay, now: .now)
    }
  }
}

/// `PCMU`, `audio/x-l16;rate=16000` or `none` on a command line.
struct ApplicationFormatArgument: ExpressibleByArgument {
  let format: ApplicationFormat

  init?(argument: String) {
    if argument == "none" {
      format = .unused
    } else if let audio = WireAudio(encoding: argument) {
      format = .known(audio)
    } else {
      return nil
    }
  }
}
