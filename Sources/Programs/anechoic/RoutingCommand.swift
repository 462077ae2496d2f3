internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// Shows and controls automatic switching.
struct RoutingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "routing",
    abstract: "Show which machine uses a shared headset, and choose another.",
    subcommands: [ListRouting.self, ChooseHolder.self, ReleaseHolder.self])
}

/// The options of every command on a group.
struct RoutingOptions: ParsableArguments {
  @Option(help: "The group of machines. (default: the group without a name)")
  var group = ""

  @OptionGroup var options: ControlOptions

  func validate() throws {
    guard group.isEmpty || Identifier.isValid(group) else {
      throw ValidationError("--group \(Identifier.rule).")
    }
  }

  func show(_ decision: Anechoic_V1_RoutingDecision) throws {
    try LineFile("-").show(options.json ? decision.jsonLine() : decision.line)
  }
}

struct ListRouting: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the headsets and the machines of a group.")

  @OptionGroup var options: RoutingOptions

  func run() async throws {
    try await options.options.withArbiter { client in
      let routing = try await client.routing(of: options.group)
      let output = try LineFile("-")
      if options.options.json { return try output.show(routing.jsonLine()) }
      for decision in routing.headsets { try output.show(decision.line) }
      for machine in routing.machines { try output.show(machine.line) }
      if routing.machines.isEmpty { standardError("no machine is registered\n") }
    }
  }
}

struct ChooseHolder: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose", abstract: "Give a headset to a machine until it is released.")

  @Argument(help: "The id of the headset.")
  var headset: String

  @Argument(help: "The name of the machine.")
  var machine: String

  @Flag(help: "Let the next activity of another machine take the headset.")
  var once = false

  @OptionGroup var options: RoutingOptions

  func run() async throws {
    try await options.options.withArbiter { client in
      try options.show(
        await client.choose(
          machine, for: headset, group: options.group, untilReleased: !once))
    }
  }
}

struct ReleaseHolder: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "End the choice of a machine for a headset.")

  @Argument(help: "The id of the headset.")
  var headset: String

  @OptionGroup var options: RoutingOptions

  func run() async throws {
    try await options.options.withArbiter { client in
      try options.show(await client.release(headset, group: options.group))
    }
  }
}

extension Anechoic_V1_RoutingDecision {
  fileprivate var line: String {
    let reason =
      switch self.reason {
      case .free: "free before"
      case .call: "has a call"
      case .media: "plays media"
      case .chosen: "chosen"
      case .holderLeft: "the last one left"
      default: "nobody can use it"
      }
    let pin = chosen ? ", until it is released" : ""
    return "headset \(headset)  \(holder.isEmpty ? "no machine" : holder)  (\(reason)\(pin))"
  }
}

extension Anechoic_V1_GetRoutingResponse.Machine {
  fileprivate var line: String {
    let states = [
      (activity.microphoneOpen, "in a call"), (activity.mediaPlaying, "plays media"),
      (activity.notificationPlaying, "notification"), (mediaPaused, "media paused"),
      (!connected, "connection lost"),
    ].filter(\.0).map(\.1)
    return "machine \(machine)  \(states.isEmpty ? "quiet" : states.joined(separator: ", "))"
  }
}
