internal import Authentication
internal import GRPCTransport
public import Operations
internal import Synchronization

/// The page on which operators watch and control sessions, and the calls that the page makes.
///
/// | path | method | answer |
/// |---|---|---|
/// | /live, /live/… | GET | the files of the page |
/// | /anechoic.v1.SessionService/… | POST | the answer of the method, as JSON |
/// | /anechoic.v1.SessionService/WatchSession | POST | the responses, as server-sent events |
public struct LivePage: Sendable {
  private static let json = "application/json"

  private let gateway: SessionGateway
  private let rule: BrowserRule
  private let refusal: String?
  private let watches = WatchPlaces()

  /// Creates the page. `refusal` is the reason why the page is switched off, or nil.
  public init(_ gateway: SessionGateway, _ rule: BrowserRule, _ refusal: String? = nil) {
    self.gateway = gateway
    self.rule = rule
    self.refusal = refusal
  }

  /// Returns the answer to a request, or nil if the path is not one of the page.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer? {
    if let file = PageFiles.live.answer(request, refusal) { return .complete(file) }
    guard let method = gateway.method(at: request.path) else { return nil }
    if let problem = problem(with: request) { return .complete(problem) }
    var metadata = Metadata()
    for (name, value) in request.headers { metadata.append(name, value) }
    let call = SessionGateway.Call(method, PlainCaller(peer: request.peer, metadata: metadata))
    return .made(on: BackgroundExecutor.shared) { [gateway, watches] exchange in
      guard gateway.isWatch(method) else {
        return await exchange.respond(Self.response(to: call, request.body, gateway))
      }
      let hasPlace = await watches.enter {
        await Self.watch(call, request.body, gateway, exchange)
      }
      if !hasPlace { exchange.respond(Self.response(.tooManyPages(WatchPlaces.most))) }
    }
  }

  /// Returns the answer to a request that is not a call of the page, or nil.
  ///
  /// A browser asks the server before it sends JSON, or a header of its own, to another site. This
  /// server never agrees.
  private func problem(with request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "POST" else {
      return HTTPResponse("use POST\n", status: .methodNotAllowed, allowed: ["POST"])
    }
    let refusal =
      refusal
      ?? (rule.allows(request)
        ? nil : "calls from other web pages, and for other hosts than this machine, are refused")
    if let refusal { return Self.response(.pageRefused(refusal)) }
    let type = request.headers["content-type"]?.prefix { $0 != ";" }
    guard type == Self.json[...] else {
      return HTTPResponse("use Content-Type: \(Self.json)\n", status: .unsupportedMediaType)
    }
    return nil
  }

  private static func response(
    to call: SessionGateway.Call, _ request: [UInt8], _ gateway: SessionGateway
  ) async -> HTTPResponse {
    do {
      var response = HTTPResponse(try await gateway.answer(call, request), contentType: json)
      response.headers["anechoic-correlation"] = call.correlation
      return response
    } catch {
      return response(Status(ending: error))
    }
  }

  private static func response(_ status: Status) -> HTTPResponse {
    var response = HTTPResponse(status.json, status: HTTPStatus(status.code), contentType: json)
    if status.code == .unauthenticated { response.headers["WWW-Authenticate"] = "Bearer" }
    return response
  }

  private static func watch(
    _ call: SessionGateway.Call, _ request: [UInt8], _ gateway: SessionGateway,
    _ exchange: HTTPExchange
  ) async {
    let stream = EventStream(exchange)
    do {
      try await gateway.watch(call, request) { try await stream.send($0) }
      try? await stream.end(.ok)
    } catch {
      let status = Status(ending: error)
      guard await stream.hasBegun else { return exchange.respond(response(status)) }
      try? await stream.end(status)
    }
  }
}

extension Status {
  /// The status of a call that ended with an error.
  fileprivate init(ending error: any Error) {
    self = error as? Status ?? Status(error is CancellationError ? .cancelled : .internal)
  }
}

/// An answer of server-sent events. The last one has the type `end` and the status of the call.
actor EventStream {
  private(set) var hasBegun = false
  private let exchange: HTTPExchange

  init(_ exchange: HTTPExchange) { self.exchange = exchange }

  /// Sends a line of JSON. Returns when the client has taken it.
  func send(_ json: [UInt8]) async throws { try await write("data: ", json) }

  func end(_ status: Status) async throws { try await write("event: end\ndata: ", status.json) }

  private func write(_ prefix: String, _ json: [UInt8]) async throws {
    let event = Array(prefix.utf8) + json + Array("\n\n".utf8)
    guard !hasBegun else { return try await exchange.write(event) }
    hasBegun = true
    try await exchange.begin(HTTPResponse(event, contentType: "text/event-stream"))
  }
}

/// The places of the calls that watch a session. They are fewer than the calls of the listener, so that
/// pages that watch leave room for other calls.
final class WatchPlaces: Sendable {
  static let most = 12

  private let taken = Mutex(0)

  /// Runs `body` with a place. Returns false, without running it, if there is none.
  func enter(_ body: () async -> Void) async -> Bool {
    let isFree = taken.withLock { taken in
      guard taken < Self.most else { return false }
      taken += 1
      return true
    }
    guard isFree else { return false }
    await body()
    taken.withLock { $0 -= 1 }
    return true
  }
}
