internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport

@main
enum Main {
  static func main() async {
    await AnechoicEdge.runToExit()
  }
}

struct AnechoicEdge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anechoic-edge",
    abstract: "Connect this machine's microphone, loudspeaker and programs to an Anechoic server.",
    discussion: """
      Try it with a server on the same machine:
        anechoic-server &
        anechoic-edge run --voice fifo:/tmp/voice &
        anechoic-edge status

      Without a sound card, add --input null --output null.

      In production, use a configuration file. deploy/edge/anechoic-edge.yaml shows every key.

      Exits with 0 after SIGTERM or SIGINT, with 1 if a test did not hear its chirp, with 2 after \
      an error that a retry cannot correct, and with 64 for wrong usage.
      """,
    version: Build.version,
    subcommands: [
      RunCommand.self, CheckConfigCommand.self, DevicesCommand.self, StatusCommand.self,
      CallCommand.self, MuteCommand.self, UnmuteCommand.self, RouteCommand.self, TestCommand.self,
      MicrophoneCommand.self, VoiceCommand.self, InjectionCommand.self, TuneCommand.self,
      MetricsCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
