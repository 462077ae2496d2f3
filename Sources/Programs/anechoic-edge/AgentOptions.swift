internal import AnechoicAPI
internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient
internal import VoiceEdge

/// The options of commands that ask a running agent.
struct AgentOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The socket of the agent's local control. (default: that of this user's agent, or of the service: \
      /run/anechoic-edge, $XDG_RUNTIME_DIR/anechoic-edge or /tmp/anechoic-edge-UID)
      """, valueName: "path"))
  var controlSocket: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to wait for an agent that is still starting: 500ms, 10s, 2m.", valueName: "time"))
  var connectTimeout = ServerWait.usual

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  /// The time limit of calls that the agent answers at once.
  static let timeout = Duration.seconds(5)

  func validate() throws {
    guard UnixSocket.canBe(at: path) else {
      throw ValidationError("--control-socket: \"\(path)\" cannot be a socket: \(UnixSocket.rule).")
    }
  }

  private var path: String { controlSocket ?? ControlSocket().pathOfRunningAgent }

  /// Waits until the agent listens, or until --connect-timeout has passed. Returns its address.
  func target() async throws -> String {
    let deadline = ContinuousClock.now + connectTimeout.duration
    // The path is looked up each time, because an agent that starts creates its socket later.
    while !UnixSocket.answers(path), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(25))
    }
    return "unix:\(path)"
  }

  /// Sends one request to the agent and returns the answer.
  func ask<Request: Message, Response: Message>(
    _ name: String, _ request: Request, timeout: Duration = timeout
  ) async throws -> Response {
    let channel = Channel(target: try await target())
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

  /// Returns a client of the agent's SessionService.
  func sessions() async throws -> SessionsClient {
    SessionsClient(server: try await target(), clientName: NSUserName())
  }

  func failure(_ status: Status) -> CommandError {
    guard status.code != .deadlineExceeded else {
      return CommandError("\(path): the agent did not answer in time")
    }
    let words = status.message.split(whereSeparator: \.isNewline).joined(separator: " ")
    guard status.code == .unavailable, access(path, F_OK) != 0 || words.contains("connect")
    else { return CommandError(words.isEmpty ? status.code.name : words) }
    return CommandError("\(path): no agent is running there; start one with anechoic-edge run")
  }
}
