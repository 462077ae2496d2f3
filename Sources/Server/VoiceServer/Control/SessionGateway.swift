internal import AnechoicAPI
public import Authentication
public import GRPCTransport
internal import SwiftProtobuf
internal import Synchronization

/// The methods of `SessionService` for callers that do not use gRPC, with messages in JSON as protobuf
/// defines it. The checks, limits, statuses and lines of the audit log are those of gRPC. Recording is
/// left out.
///
/// Call the functions in tasks on `BackgroundExecutor`. They throw the `Status` that ends the call.
public struct SessionGateway: Sendable {
  /// A call, before its client is known.
  public struct Call: Sendable {
    public let method: GRPCTransport.Method
    public let caller: PlainCaller
    /// The id of the call in the server's log.
    public let correlation: String

    public init(_ method: GRPCTransport.Method, _ caller: PlainCaller) {
      self.method = method
      self.caller = caller
      correlation = CorrelationID.of(caller.metadata)
    }
  }

  private static let watch = Method(service: RPC.sessions, name: RPC.watchSession)
  private static let inject = Method(service: RPC.sessions, name: RPC.injectSpeech)

  private let service: SessionService
  private let interceptor: AccessInterceptor
  private let unaryMethods: [GRPCTransport.Method: UnaryMethod]

  init(_ service: SessionService, _ interceptor: AccessInterceptor) {
    self.service = service
    self.interceptor = interceptor
    unaryMethods = Dictionary(uniqueKeysWithValues: service.unaryMethods.map { ($0.method, $0) })
  }

  /// Returns the method with a path such as `/anechoic.v1.SessionService/SetMute`, or nil.
  public func method(at path: String) -> GRPCTransport.Method? {
    (Array(unaryMethods.keys) + [Self.watch, Self.inject]).first { $0.path == path }
  }

  /// Whether `watch` serves a method, and not `answer`.
  public func isWatch(_ method: GRPCTransport.Method) -> Bool { method == Self.watch }

  /// Answers a call. The messages to `InjectSpeech` are lines.
  public func answer(_ call: Call, _ request: [UInt8]) async throws -> [UInt8] {
    try await admitted(call) { client, cause in
      if let method = unaryMethods[call.method] {
        return try await method.answer(request, .json, client, cause)
      }
      guard call.method == Self.inject else { throw Status(.unimplemented) }
      let messages = MessageList(try Self.lines(request))
      let response = try await service.injection(by: client, cause).run { messages.next() }
      return try response.jsonUTF8Bytes()
    }
  }

  /// Watches a session. `send` gets each response, and returns when the client has taken it. Of the
  /// statistics that come meanwhile, only the newest are kept. Returns when the session has ended.
  public func watch(
    _ call: Call, _ request: [UInt8], send: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    try await admitted(call) { client, _ in
      let request: Anechoic_V1_WatchSessionRequest = try MessageEncoding.json.decoded(request)
      try await follow(SessionWatch(request, service.directory, for: client), send)
    }
  }

  private func follow(
    _ watch: SessionWatch, _ send: @Sendable ([UInt8]) async throws -> Void
  ) async throws {
    var watch = watch
    let session = watch.session
    let newest = Newest()
    let (signals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = session.feed.listen { signal.yield() }
    defer { session.feed.stopListening(listener) }
    let ticks = watch.statisticsInterval.map { interval in
      Task(executorPreference: BackgroundExecutor.shared) {
        while (try? await Task.sleep(for: interval)) != nil {
          guard let statistics = try? await session.statistics() else { return }
          newest.put(statistics)
          signal.yield()
        }
      }
    }
    defer { ticks?.cancel() }
    signal.yield()
    for await _ in signals {
      if let statistics = newest.take() { watch.accept(statistics) }
      var isWaiting = false
      while !isWaiting {
        switch watch.next() {
        case .response(let bytes): try await send(Self.json(bytes))
        case .wait: isWaiting = true
        case .end(.ok): return
        case .end(let status): throw status
        }
      }
    }
    throw CancellationError()
  }

  /// Runs the body of a call if its client may make the call, and until the client's proof expires.
  private func admitted<Result: Sendable>(
    _ call: Call,
    _ body: @escaping @Sendable (Principal, ServerLog.Cause) async throws -> Result
  ) async throws -> Result {
    let decision =
      switch interceptor.admission(
        of: call.caller, to: call.method, correlation: call.correlation)
      {
      case .decided(let decision): decision
      case .pending(let decide): await decide()
      }
    switch decision {
    case .refused(let status): throw status
    case .admitted(let value, let expiry):
      let client = try Principal(attached: value)
      let cause = ServerLog.Cause(client, host: client.host, correlation: call.correlation)
      guard let expiry else { return try await body(client, cause) }
      return try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body(client, cause) }
        group.addTask {
          try await Task.sleep(inStepsFor: expiry.after)
          throw expiry.status
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw Status(.internal) }
        return result
      }
    }
  }

  private static func lines(
    _ request: [UInt8]
  ) throws(Status) -> [Anechoic_V1_InjectSpeechRequest] {
    var messages: [Anechoic_V1_InjectSpeechRequest] = []
    for line in request.split(separator: UInt8(ascii: "\n")) {
      messages.append(try MessageEncoding.json.decoded(Array(line)))
    }
    return messages
  }

  private static func json(_ response: [UInt8]) throws -> [UInt8] {
    try Anechoic_V1_WatchSessionResponse(serializedBytes: response).jsonUTF8Bytes()
  }
}

/// The newest statistics of a session, unless they have been taken.
private final class Newest: Sendable {
  private let statistics = Mutex<Anechoic_V1_SessionStats?>(nil)

  func put(_ new: Anechoic_V1_SessionStats) { statistics.withLock { $0 = new } }
  func take() -> Anechoic_V1_SessionStats? { statistics.withLock { $0.take() } }
}

/// Messages that are all known, one after another.
private final class MessageList: Sendable {
  private let rest: Mutex<ArraySlice<Anechoic_V1_InjectSpeechRequest>>

  init(_ messages: [Anechoic_V1_InjectSpeechRequest]) { rest = Mutex(messages[...]) }

  func next() -> Anechoic_V1_InjectSpeechRequest? { rest.withLock { $0.popFirst() } }
}
