/// An RPC that a server offers, and the code behind it.
public struct ServerMethod: Sendable {
  public let method: Method
  /// The threads that serve it. The bodies of asynchronous methods run on Swift's own.
  public let lane: Lane
  let start: @Sendable (ServerCall) -> any ServerCallHandler

  /// An RPC of any shape, as events on the call's thread. `start` runs on that thread too; it
  /// must ask for the first message with `ServerCall.read()`.
  public init(
    _ method: Method, lane: Lane = .main,
    start: @escaping @Sendable (ServerCall) -> any ServerCallHandler
  ) {
    self.method = method
    self.lane = lane
    self.start = start
  }

  /// One message in, one message out. A thrown `Status` is the answer; any other error is INTERNAL.
  public static func unary(
    _ method: Method, lane: Lane = .main,
    _ body: @escaping @Sendable (_ request: [UInt8], _ context: CallContext) async throws -> [UInt8]
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call) { requests, context, responses in
        try await responses.send(body(requests.only(of: context.method), context))
      }
    }
  }

  /// Any number of messages in, one message out: what `body` returns. It may return, or throw a
  /// `Status`, before the client has sent its last; the call ends at once then.
  public static func clientStreaming(
    _ method: Method, lane: Lane = .main,
    _ body:
      @escaping @Sendable (_ requests: RequestStream, _ context: CallContext) async throws ->
      [UInt8]
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call) { requests, context, responses in
        try await responses.send(body(requests, context))
      }
    }
  }

  /// One message in, any number out, until `body` returns.
  public static func serverStreaming(
    _ method: Method, lane: Lane = .main,
    _ body:
      @escaping @Sendable (
        _ request: [UInt8], _ context: CallContext, _ responses: ResponseWriter
      ) async throws -> Void
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call) { requests, context, responses in
        try await body(requests.only(of: context.method), context, responses)
      }
    }
  }
}

/// What is known of the client of a call.
public struct CallContext: Sendable {
  public let method: Method
  public let metadata: Metadata
  /// The client's address, such as `ipv4:127.0.0.1:40112`.
  public let peer: String
  /// Until the client's deadline, when the call began; nil where it set none.
  public let timeLeft: Duration?

  init(_ call: ServerCall) {
    method = call.method
    metadata = call.metadata
    peer = call.peer
    timeLeft = call.timeLeft
  }
}
