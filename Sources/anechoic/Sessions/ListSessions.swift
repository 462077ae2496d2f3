internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import VoiceClient

struct ListSessions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show all sessions, one on a line.")

  @OptionGroup var options: SessionsOptions

  func run() async throws {
    try await options.withClient { client in
      let sessions = try await client.list()
      let output = try LineFile("-")
      for session in sessions {
        try output.write(options.json ? session.jsonLine() : session.line)
      }
      if sessions.isEmpty { standardError("no session is running\n") }
    }
  }
}
