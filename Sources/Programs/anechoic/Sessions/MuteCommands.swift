internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import SwiftProtobuf
internal import VoiceClient

struct MuteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute",
    abstract: "Mute a session. Its processed voice becomes silence.")

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Option(parsing: .unconditional, help: MuteChange.generationHelp)
  var ifGeneration: UInt64?

  @OptionGroup var time: ChangeTime
  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await MuteChange(name: name, muted: true, ifGeneration: ifGeneration).run(options, time)
  }
}

struct UnmuteSession: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute",
    abstract: "Unmute a session.")

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Option(parsing: .unconditional, help: MuteChange.generationHelp)
  var ifGeneration: UInt64?

  @OptionGroup var time: ChangeTime
  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await MuteChange(name: name, muted: false, ifGeneration: ifGeneration).run(options, time)
  }
}

/// A change of a session's mute state by a command.
private struct MuteChange {
  static let generationHelp = ArgumentHelp(
    "Change the state only if its generation is still this one. Every change raises it.",
    valueName: "generation")

  let name: SessionName
  let muted: Bool
  let ifGeneration: UInt64?

  /// Changes the state, and prints it with the sample from which it holds.
  func run(_ options: ControlOptions, _ time: ChangeTime) async throws {
    try await options.withClient { client in
      let response = try await client.setMute(
        name.description, muted: muted, ifGeneration: ifGeneration, atSample: time.atSample)
      try LineFile("-").show(options.json ? response.jsonLine() : response.phrase)
    }
  }
}

struct ReportMuteGesture: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gesture",
    abstract: "Report a press of a mute button, and show its outcome.",
    discussion: """
      The command waits until the press is decided, by the session's gesture policy or by its media \
      client. A push button toggles the state. A switch sets it: give --mute or --unmute. A second \
      report with the same --id counts as the same press.
      """)

  enum Direction: String, EnumerableFlag {
    case mute
    case unmute
  }

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Option(parsing: .unconditional, help: "The id of this press. (default: a random id)")
  var id: String?

  @Flag(help: "The position of a switch. (default: toggle)")
  var direction: Direction?

  @OptionGroup var options: ControlOptions

  func run() async throws {
    try await options.withClient { client in
      let result = try await client.reportMuteGesture(
        name.description, id: id ?? UUID().uuidString.lowercased(),
        muted: direction.map { $0 == .mute })
      try LineFile("-").show(options.json ? result.jsonLine() : result.phrase)
    }
  }
}
