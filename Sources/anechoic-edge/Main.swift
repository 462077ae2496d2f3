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
    abstract: "Makes a voice device of this machine's sound hardware, its programs and a server.",
    discussion: """
      Try it, with a server beside it:
        anechoic-server &
        anechoic-edge run --voice fifo:/tmp/voice &
        anechoic-edge status

      In earnest it runs from a configuration file: deploy/edge/anechoic-edge.yaml has every key.
      """,
    version: anechoicVersion,
    subcommands: [
      RunCommand.self, DevicesCommand.self, StatusCommand.self, MuteCommand.self,
      UnmuteCommand.self, RouteCommand.self, TestCommand.self,
    ],
    defaultSubcommand: RunCommand.self)
}
