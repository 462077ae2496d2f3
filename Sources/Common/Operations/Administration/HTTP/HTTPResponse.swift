/// A complete answer to a request.
public struct HTTPResponse: Sendable, Equatable {
  public var status: HTTPStatus
  public var contentType: String
  public var body: [UInt8]
  /// The methods that the path takes, for 405.
  public var allowed: [String]
  /// Further headers, by their names.
  public var headers: [String: String] = [:]

  public init(
    _ text: String, status: HTTPStatus = .ok, contentType: String = "text/plain; charset=utf-8",
    allowed: [String] = []
  ) {
    self.init(Array(text.utf8), status: status, contentType: contentType)
    self.allowed = allowed
  }

  public init(_ body: [UInt8], status: HTTPStatus = .ok, contentType: String) {
    self.status = status
    self.contentType = contentType
    self.body = body
    allowed = []
  }

  /// The answer to a request that is refused: the status in words.
  static func refusal(_ status: HTTPStatus) -> HTTPResponse {
    HTTPResponse("\(status.rawValue) \(status.phrase)\n", status: status)
  }

  /// Returns the bytes of the response, which also announce the end of the connection.
  package func bytes(withBody: Bool = true) -> [UInt8] {
    head(["Content-Length": "\(body.count)"]) + (withBody ? body : [])
  }

  /// Returns the bytes of the head of a response whose body lasts until the connection ends, and the
  /// beginning of the body.
  func openingBytes() -> [UInt8] { head([:]) + body }

  private func head(_ length: [String: String]) -> [UInt8] {
    var fields = headers.merging(length) { $1 }
    fields["Content-Type"] = contentType
    fields["Cache-Control"] = "no-store"
    fields["X-Content-Type-Options"] = "nosniff"
    fields["Connection"] = "close"
    if !allowed.isEmpty { fields["Allow"] = allowed.joined(separator: ", ") }
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { head += "\(name): \(value)\r\n" }
    return Array((head + "\r\n").utf8)
  }
}

/// The answer to a request: complete, or made by a task while the connection stays open.
public enum HTTPAnswer: Sendable {
  case complete(HTTPResponse)
  /// The closure starts the task. The listener cancels the task when the client has gone.
  case later(@Sendable (HTTPExchange) -> Task<Void, Never>)
  /// The connection changes to another protocol.
  case upgrade(HTTPUpgrade)

  /// The answer to a request that is refused: the status in words.
  public static func refusal(_ status: HTTPStatus) -> HTTPAnswer { .complete(.refusal(status)) }

  /// An answer that `body` makes on the threads of `executor`. The connection ends when `body`
  /// returns.
  public static func made(
    on executor: any TaskExecutor, by body: @escaping @Sendable (HTTPExchange) async -> Void
  ) -> HTTPAnswer {
    .later { exchange in
      Task(executorPreference: executor) {
        await body(exchange)
        exchange.end()
      }
    }
  }
}
