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
  /// The check of each call. Nil admits all calls.
  private(set) var interceptor: (any CallInterceptor)?
  public let shape: CallShape
  /// The count of the calls, or nil.
  public private(set) var observer: (any CallObserver)?
  /// The header of the response with the id of the call in the server's log, or nil for none.
  public private(set) var correlationHeader: String?
  /// The maker of the traces of the calls, or nil.
  private(set) var tracer: (any CallTracer)?
  let start: @Sendable (ServerCall) -> any ServerCallHandler

  /// Creates an RPC of any shape. Its handler gets events on the call's thread. `start` runs on
  /// that thread too, and has to ask for the first message with `ServerCall.read()`.
  public init(
    _ method: Method, lane: Lane = .main, shape: CallShape = .bidirectionalStream,
    start: @escaping @Sendable (ServerCall) -> any ServerCallHandler
  ) {
    self.method = method
    self.lane = lane
    self.shape = shape
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

  /// Returns the RPC with a check of each call before its handler starts.
  public func admitted(by interceptor: some CallInterceptor) -> ServerMethod {
    var method = self
    method.interceptor = interceptor
    return method
  }

  /// Returns the RPC with a count of its calls.
  public func with(_ observer: any CallObserver) -> ServerMethod {
    var method = self
    method.observer = observer
    return method
  }

  /// Returns the RPC with traces of its calls.
  public func traced(by tracer: (any CallTracer)?) -> ServerMethod {
    var method = self
    method.tracer = tracer
    return method
  }

  /// Returns the RPC with an id for each call, which is sent to the client in a header. The id is the
  /// trace of the header `traceparent`, or random.
  public func with(correlationHeader: String) -> ServerMethod {
    var method = self
    method.correlationHeader = correlationHeader
    return method
  }

  /// Returns an RPC that takes one message and answers with one. A `Status` that `body` throws ends
  /// the call; any other error ends the call with INTERNAL.
  public static func unary(
    _ method: Method, lane: Lane = .main,
    _ body: @escaping @Sendable (_ request: [UInt8], _ context: CallContext) async throws -> [UInt8]
  ) -> ServerMethod {
    ServerMethod(method, lane: lane, shape: .unary) { call in
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
    ServerMethod(method, lane: lane, shape: .clientStream) { call in
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
    ServerMethod(method, lane: lane, shape: .serverStream) { call in
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
  /// The value that the method's interceptor attached to the call. Nil without an interceptor.
  public let attachment: (any Sendable)?
  /// The id of the call in the server's log. Empty if the method has no `correlationHeader`.
  public let correlation: String

  init(_ call: ServerCall) {
    attachment = call.attachment
    method = call.method
    metadata = call.metadata
    peer = call.peer
    timeLeft = call.timeLeft
    correlation = call.correlation
  }
}

/// The threads of a server that serve the calls of a method.
public enum Lane: Sendable {
  /// The threads of the `queueCount` queues. Calls are spread over them.
  case main
  /// Another thread, with a lower priority, for calls that must not delay the others. A server has
  /// this thread if one of its methods asks for it.
  case background
}

/// A count of the calls of a method. Called on the calls' threads, some functions for each message:
/// they must neither allocate nor lock nor wait.
public protocol CallObserver: AnyObject, Sendable {
  /// Records that a client has started a call.
  func started()
  /// Records that a message of the client has come.
  func received()
  /// Records that a message to the client has been passed to the transport.
  func sent()
  /// Records the end of a call. A call that its client gave up ends with CANCELLED.
  func handled(_ code: StatusCode, after time: Duration)
}

/// Whether the two sides of a call send one message or any number.
public enum CallShape: String, Sendable {
  case unary
  case clientStream = "client_stream"
  case serverStream = "server_stream"
  case bidirectionalStream = "bidi_stream"
}
