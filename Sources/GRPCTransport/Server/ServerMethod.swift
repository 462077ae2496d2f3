/// An RPC that a server offers, and the code behind it.
public struct ServerMethod: Sendable {
  public let method: Method
  /// The threads that serve the calls. The bodies of asynchronous methods run on the threads of
  /// `BackgroundExecutor` for the background lane, and on Swift's own threads for the main lane.
  public let lane: Lane
  /// The time limits for the client of each call. There are none by default.
  /// `ServerCall.writeDeadline` changes the write deadline of a running call.
  public private(set) var deadlines = CallDeadlines()
  /// The largest message in bytes that a client may send, or nil for the limit of the server. A
  /// larger one ends the call with RESOURCE_EXHAUSTED before anything keeps or decodes the message.
  public private(set) var largestMessage: Int?
  let start: @Sendable (ServerCall) -> any ServerCallHandler

  /// Creates an RPC of any shape. Its handler gets events on the call's thread. `start` runs on
  /// that thread too, and has to ask for the first message with `ServerCall.read()`.
  public init(
    _ method: Method, lane: Lane = .main,
    start: @escaping @Sendable (ServerCall) -> any ServerCallHandler
  ) {
    self.method = method
    self.lane = lane
    self.start = start
  }

  /// Returns the RPC with time limits for the client of each call.
  public func with(_ deadlines: CallDeadlines) -> ServerMethod {
    var method = self
    method.deadlines = deadlines
    return method
  }

  /// Returns the RPC with a limit for the size of each message from the client.
  public func with(largestMessage: Int) -> ServerMethod {
    var method = self
    method.largestMessage = largestMessage
    return method
  }

  /// Returns an RPC that takes one message and answers with one. A `Status` that `body` throws ends
  /// the call; any other error ends the call with INTERNAL.
  public static func unary(
    _ method: Method, lane: Lane = .main,
    _ body: @escaping @Sendable (_ request: [UInt8], _ context: CallContext) async throws -> [UInt8]
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call, lane) { requests, context, responses in
        try await responses.send(body(requests.only(of: context.method), context))
      }
    }
  }

  /// Returns an RPC that takes any number of messages and answers with the one that `body` returns.
  /// The call ends as soon as `body` returns or throws, even before the client's last message.
  public static func clientStreaming(
    _ method: Method, lane: Lane = .main,
    _ body:
      @escaping @Sendable (_ requests: RequestStream, _ context: CallContext) async throws ->
      [UInt8]
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call, lane) { requests, context, responses in
        try await responses.send(body(requests, context))
      }
    }
  }

  /// Returns an RPC that takes one message and answers with any number, until `body` returns.
  public static func serverStreaming(
    _ method: Method, lane: Lane = .main,
    _ body:
      @escaping @Sendable (
        _ request: [UInt8], _ context: CallContext, _ responses: ResponseWriter
      ) async throws -> Void
  ) -> ServerMethod {
    ServerMethod(method, lane: lane) { call in
      AsyncHandler(call, lane) { requests, context, responses in
        try await body(requests.only(of: context.method), context, responses)
      }
    }
  }
}

/// The method of a call, and the information about its client.
public struct CallContext: Sendable {
  public let method: Method
  public let metadata: Metadata
  /// The client's address, such as `ipv4:127.0.0.1:40112`.
  public let peer: String
  /// The time from the start of the call to the client's deadline. Nil if the client set no
  /// deadline.
  public let timeLeft: Duration?

  init(_ call: ServerCall) {
    method = call.method
    metadata = call.metadata
    peer = call.peer
    timeLeft = call.timeLeft
  }
}
