internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf

/// Shows the clients that ask to speak into the call, and answers them.
struct InjectionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "injection",
    abstract: "Show who asks to speak into the call, and permit or refuse it.",
    subcommands: [Show.self, Permit.self, Refuse.self], defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the clients that wait for an answer.")

    @OptionGroup var agent: AgentOptions

    func run() async throws { try agent.showQuestions(of: try await agent.status()) }
  }

  struct Permit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Permit a client to speak into calls, also before it asks.")

    @OptionGroup var agent: AgentOptions

    @Argument(help: "The name of the client.")
    var client: String

    func run() async throws { try await agent.decide(client, grant: true) }
  }

  struct Refuse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Refuse a client, or take its permission back, also before it asks.")

    @OptionGroup var agent: AgentOptions

    @Argument(help: "The name of the client.")
    var client: String

    func run() async throws { try await agent.decide(client, grant: false) }
  }
}

extension AgentOptions {
  fileprivate func decide(_ client: String, grant: Bool) async throws {
    let response: Anechoic_V1_DecideInjectionResponse = try await ask(
      RPC.decideInjection,
      Anechoic_V1_DecideInjectionRequest.with {
        $0.client = client
        $0.grant = grant
      })
    try showQuestions(of: response.status)
  }

  fileprivate func showQuestions(of status: Anechoic_V1_EdgeStatus) throws {
    let output = try LineFile("-")
    if json {
      for request in status.injectionRequests { try output.show(request.jsonLine()) }
    } else if status.injectionRequests.isEmpty {
      try output.show("nobody waits for an answer")
    }
    for request in status.injectionRequests where !json { try output.show(request.words) }
  }
}

extension Anechoic_V1_InjectionPermissionRequested {
  /// The question, for people.
  var words: String { "\(client) asks to speak into the call: \(usageDescription)" }
}
