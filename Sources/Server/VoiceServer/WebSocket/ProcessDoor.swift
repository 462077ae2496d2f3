internal import AnechoicAPI
internal import Authentication
internal import Glibc
internal import GRPCTransport
public import Operations

/// The method `Process` over a WebSocket, for browsers and for programs without gRPC.
///
/// `GET /v1/process` opens the WebSocket. docs/reference/websocket.md describes the messages. The call
/// has the handler, the limits, the authentication and the statuses of a call over gRPC.
public struct ProcessDoor: Sendable {
  /// The path that opens the WebSocket.
  public static let path = "/v1/process"
  /// The subprotocol that a client offers if it offers any.
  static let subprotocol = "anechoic.v1"
  /// The beginning of the subprotocol with which a browser sends a token, because it cannot send headers.
  private static let tokenPrefix = "anechoic.bearer."
  /// The beginning of the subprotocol with which a browser names itself.
  private static let namePrefix = "anechoic.client."
  private static let method = Method(service: RPC.voiceProcessing, name: RPC.process)

  private let server: VoiceProcessingServer
  private let sockets: WebSocketService
  private let rule: OriginRule
  private let refusal: String?

  /// Creates the door. `refusal` is the reason why the door is closed, or nil.
  public init(
    _ server: VoiceProcessingServer, _ sockets: WebSocketService, _ rule: OriginRule,
    _ refusal: String? = nil
  ) {
    self.server = server
    self.sockets = sockets
    self.rule = rule
    self.refusal = refusal
  }

  /// Returns the answer to a request, or nil if the path is not that of the door.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer? {
    guard request.path == Self.path else { return nil }
    if let refusal { return Self.refused(refusal, .forbidden) }
    guard rule.allows(request) else {
      let origin = request.headers["origin"] ?? ""
      return Self.refused(
        "pages of \(origin.prefix(100)) may not open this WebSocket; see listen.allowed_origins",
        .forbidden)
    }
    switch WebSocketHandshake.check(request) {
    case .refused(let response): return .complete(response)
    case .accepted(let handshake): return open(handshake, request)
    }
  }

  private func open(_ handshake: WebSocketHandshake, _ request: HTTPRequest) -> HTTPAnswer {
    guard handshake.offered.isEmpty || handshake.offered.contains(Self.subprotocol) else {
      return Self.refused("offer the subprotocol \(Self.subprotocol), or none", .badRequest)
    }
    guard sockets.hasRoom else {
      return Self.refused("too many WebSockets are open", .serviceUnavailable)
    }
    let metadata = Self.metadata(of: request, handshake.offered)
    var headers = handshake.headers(choosing: handshake.offered.isEmpty ? nil : Self.subprotocol)
    headers[RPC.correlation] = CorrelationID.of(metadata)
    let (server, sockets, peer) = (server, sockets, request.peer)
    return .upgrade(
      HTTPUpgrade(headers: headers) { connection in
        let isOpen = server.server.startCall(of: Self.method) { call in
          let socket = sockets.adopt(connection) { report in
            call.perform { SocketCall.accept(report, $0) }
          }
          return SocketCall(socket: socket, metadata: metadata, peer: peer)
        }
        if !isOpen { close(connection.descriptor) }
      })
  }

  /// Returns the headers of a request as those of a call, with those that a browser sends as
  /// subprotocols. The id of the call is known before its answer.
  private static func metadata(of request: HTTPRequest, _ offered: [String]) -> Metadata {
    var metadata = Metadata()
    for (name, value) in request.headers where name != CorrelationID.chosen {
      metadata.append(name, value)
    }
    for word in offered {
      if word.hasPrefix(tokenPrefix) {
        metadata.append("authorization", "Bearer \(word.dropFirst(tokenPrefix.count))")
      } else if word.hasPrefix(namePrefix) {
        metadata.append(RPC.clientName, String(word.dropFirst(namePrefix.count)))
      }
    }
    metadata.append(CorrelationID.chosen, CorrelationID.of(metadata))
    return metadata
  }

  private static func refused(_ reason: String, _ status: HTTPStatus) -> HTTPAnswer {
    .complete(HTTPResponse("\(reason)\n", status: status))
  }
}
