internal import AnechoicAPI
internal import ArgumentParser
internal import SwiftProtobuf
internal import VoiceClient

struct DeleteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "End a session.")

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @OptionGroup var options: SessionsOptions

  func run() async throws {
    try await options.withClient { client in
      try await client.delete(name.description)
      let answer = Anechoic_V1_DeleteSessionResponse()
      try LineFile("-").write(options.json ? answer.jsonLine() : "deleted \(name)")
    }
  }
}
