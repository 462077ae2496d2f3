internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct CapabilitiesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capabilities",
    abstract: "Show what a server can do, its limits and its load.")

  @OptionGroup var target: ServerOption

  @Flag(help: "As one JSON object, for programs.")
  var json = false

  func run() async throws {
    do {
      let capabilities = try await target.client().capabilities()
      print(
        try json
          ? capabilities.jsonString() : capabilities.textFormatString(),
        terminator: json ? "\n" : "")
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }
}
