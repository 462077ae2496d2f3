internal import AnechoicAPI
internal import ArgumentParser
internal import Foundation
internal import VoiceClient

struct ReportMuteGesture: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gesture",
    abstract: "Report a press of a mute button, and show what became of it.",
    discussion: """
      Waits until the session's gesture policy, or its media client, has decided. A push button \
      toggles; a switch says --mute or --unmute. A repeat of the same --id is the same press.
      """)

  enum Direction: String, EnumerableFlag {
    case mute
    case unmute
  }

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @Option(help: "Of this press. (default: a random one)")
  var id: String?

  @Flag(help: "What the switch says. (default: toggle)")
  var direction: Direction?

  @OptionGroup var options: SessionsOptions

  func run() async throws {
    try await options.withClient { client in
      let result = try await client.reportMuteGesture(
        name.description, id: id ?? UUID().uuidString.lowercased(),
        muted: direction.map { $0 == .mute })
      try LineFile("-").write(options.json ? result.jsonLine() : result.phrase)
    }
  }
}
