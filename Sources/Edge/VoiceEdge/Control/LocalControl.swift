internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf

/// The local control: the agent's own server on a unix socket, with EdgeService and SessionService
/// for its session.
final class LocalControl: Sendable {
  private let server: Server
  private let path: String

  /// Creates the control, or returns nil if the configuration disables it. Throws an `EdgeError`
  /// if the socket cannot be created.
  init?(_ agent: EdgeAgent) throws(EdgeError) {
    guard let path = agent.configuration.controlSocket else { return nil }
    self.path = path
    try Self.makeWay(path)
    let sessions = LocalSessions(agent)
    do {
      server = try Server(
        options: Server.Options(addresses: ["unix:\(path)"]),
        methods: Self.edgeMethods(agent) + PersonMethods(agent: agent).methods
          + CallMethods(agent: agent).methods + FarEndMethods(agent: agent).methods
          + sessions.methods)
    } catch {
      throw EdgeError("control socket \(path): \(error)")
    }
    // The permissions of the folder and the group control who may connect.
    chmod(path, 0o660)
  }

  func stop() async {
    await server.shutdown(grace: .zero)
    unlink(path)
  }

  /// Removes a socket that an agent left behind. Throws if an agent answers on it.
  private static func makeWay(_ path: String) throws(EdgeError) {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let isTemporary = folder == ControlSocket().temporaryFolder
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: isTemporary ? [.posixPermissions: 0o700] : nil)
    } catch {
      throw EdgeError(
        "control socket \(path): its folder cannot be created; choose a path with --control-socket")
    }
    var info = stat()
    guard
      !isTemporary
        || lstat(folder, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
          && info.st_uid == geteuid()
    else { throw EdgeError("control socket \(path): its folder belongs to another user") }
    guard lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK else {
      throw EdgeError("control socket \(path): the path exists and is not a socket")
    }
    guard !UnixSocket.answers(path) else {
      throw EdgeError("control socket \(path): another agent uses it")
    }
    unlink(path)
  }

  /// The time between looks at what changes without the voice thread.
  private static let interval = Duration.milliseconds(100)

  private static func edgeMethods(_ agent: EdgeAgent) -> [ServerMethod] {
    [
      .unary(method(RPC.getEdgeStatus)) { _, _ in
        try Anechoic_V1_GetEdgeStatusResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
      .serverStreaming(method(RPC.watchEdgeStatus)) { _, _, responses in
        var last: Anechoic_V1_EdgeStatus?
        while !Task.isCancelled {
          let status = agent.describe(agent.board.status)
          if status != last {
            last = status
            try await responses.send(
              Anechoic_V1_WatchEdgeStatusResponse.with { $0.status = status }.serializedBytes())
          }
          // The devices and the arbiter change without the voice thread.
          await agent.board.waitForChange(atMost: interval)
        }
      },
      .unary(method(RPC.chooseRoute)) { request, _ in
        let request: Anechoic_V1_ChooseRouteRequest = try .decoded(request)
        do throws(RouteError) {
          try agent.routes.choose(request.portID.isEmpty ? nil : request.portID)
        } catch {
          if case .unknown = error { throw Status(.notFound, error.description) }
          throw Status(.failedPrecondition, error.description)
        }
        return try Anechoic_V1_ChooseRouteResponse.with {
          $0.status = agent.describe(agent.board.status)
        }.serializedBytes()
      },
      .unary(method(RPC.testAudio)) { _, _ in
        try await agent.testAudio().serializedBytes()
      },
    ]
  }

  private static func method(_ name: String) -> Method { Method(service: RPC.edge, name: name) }
}

extension Message {
  /// Decodes a message. Throws INVALID_ARGUMENT for invalid bytes.
  static func decoded(_ bytes: [UInt8]) throws(Status) -> Self {
    do { return try Self(serializedBytes: bytes) } catch {
      throw Status(.invalidArgument, "the request is not a valid \(Self.protoMessageName)")
    }
  }
}
