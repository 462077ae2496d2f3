internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf

/// Shows the state of the agent.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the server, route, mute, devices, latency and gaps.")

  @OptionGroup var agent: AgentOptions

  @Flag(help: "Show every change too, until Ctrl-C.")
  var watch = false

  func run() async throws {
    guard watch else { return try show(try await agent.status()) }
    do {
      let call = try await Channel(target: agent.target()).serverStreaming(
        Method(service: RPC.edge, name: RPC.watchEdgeStatus),
        Anechoic_V1_WatchEdgeStatusRequest().serializedBytes())
      while let bytes = try await call.receive() {
        try show(try Anechoic_V1_WatchEdgeStatusResponse(serializedBytes: bytes).status)
      }
    } catch let status as Status {
      throw agent.failure(status)
    }
  }

  private func show(_ status: Anechoic_V1_EdgeStatus) throws {
    try LineFile("-").show(
      agent.json ? status.jsonLine() : StatusText(status).lines.joined(separator: "\n"))
  }
}
