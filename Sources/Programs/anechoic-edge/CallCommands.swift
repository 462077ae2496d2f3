internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// Shows, begins and ends the call of the machine.
struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Show, begin or end the call of this machine.",
    discussion: """
      Between calls the agent has no session, its devices are closed, and it leaves other programs alone.
      """,
    subcommands: [Show.self, Begin.self, End.self, Hold.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show whether there is a call, and why.")

    @OptionGroup var agent: AgentOptions

    func run() async throws { try agent.show(try await agent.status().call) }
  }

  struct Begin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begin a call, which lasts until it is ended.")

    @OptionGroup var agent: AgentOptions

    @Argument(help: "The name of the program that has the call.")
    var name = NSUserName()

    func run() async throws {
      let response: Anechoic_V1_BeginCallResponse = try await agent.ask(
        RPC.beginCall, Anechoic_V1_BeginCallRequest.with { $0.holder = name })
      try agent.show(response.call)
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a call that was begun.",
      discussion: "The call goes on while another program asks for it, or another sign is left.")

    @OptionGroup var agent: AgentOptions

    @Argument(help: "The name that began the call. (default: all names)")
    var name: String?

    func run() async throws {
      let response: Anechoic_V1_EndCallResponse = try await agent.ask(
        RPC.endCall, Anechoic_V1_EndCallRequest.with { $0.holder = name ?? "" })
      try agent.show(response.call)
    }
  }

  struct Hold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hold a call until this command ends, however it ends.")

    @OptionGroup var agent: AgentOptions

    @Argument(help: "The name of the program that has the call.")
    var name = NSUserName()

    func run() async throws {
      do {
        let call = try await Channel(target: agent.target()).serverStreaming(
          Method(service: RPC.edge, name: RPC.holdCall),
          Anechoic_V1_HoldCallRequest.with { $0.holder = name }.serializedBytes())
        while let bytes = try await call.receive() {
          try agent.show(Anechoic_V1_HoldCallResponse(serializedBytes: bytes).call)
        }
      } catch let status as Status {
        throw agent.failure(status)
      }
    }
  }
}

extension AgentOptions {
  fileprivate func show(_ call: Anechoic_V1_EdgeCall) throws {
    try LineFile("-").show(json ? call.jsonLine() : CallText(call).line)
  }
}
