internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

/// The running agent, and how its answers are printed.
struct AgentOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The socket of the agent's local control.", valueName: "path"))
  var controlSocket = "/run/anechoic-edge/control.sock"

  @Flag(help: "JSON, one object a line, for programs.")
  var json = false

  /// What an agent that answers at once may take.
  static let timeout = Duration.seconds(5)

  func validate() throws {
    guard UnixSocket.canBe(at: controlSocket) else {
      throw ValidationError(
        "--control-socket takes a path of 1 to \(UnixSocket.longestPath) bytes.")
    }
  }

  var target: String { "unix:\(controlSocket)" }

  /// One question to the agent.
  func ask<Request: Message, Response: Message>(
    _ name: String, _ request: Request, timeout: Duration = timeout
  ) async throws -> Response {
    let channel = Channel(target: target)
    do {
      let bytes = try await channel.unary(
        Method(service: RPC.edge, name: name), request.serializedBytes(), timeout: timeout)
      return try Response(serializedBytes: bytes)
    } catch let status as Status {
      throw failure(status)
    }
  }

  func status() async throws -> Anechoic_V1_EdgeStatus {
    let response: Anechoic_V1_GetEdgeStatusResponse = try await ask(
      RPC.getEdgeStatus, Anechoic_V1_GetEdgeStatusRequest())
    return response.status
  }

  /// SessionService at the agent.
  func sessions() -> SessionsClient {
    SessionsClient(server: target, clientName: NSUserName())
  }

  func failure(_ status: Status) -> CommandFailure {
    let words = status.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    guard status.code == .unavailable, access(controlSocket, F_OK) != 0 || words.contains("connect")
    else { return CommandFailure(words.isEmpty ? status.code.name : words) }
    return CommandFailure("\(controlSocket): no agent runs there")
  }
}
