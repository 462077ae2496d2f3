/// A request of an operator.
public struct HTTPRequest: Sendable, Equatable {
  public var method: String
  /// The path without the query: `/metrics`.
  public var path: String
  /// The headers with lower-case names.
  public var headers: [String: String]
  public var body: [UInt8]

  public init(
    method: String, path: String, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }
}

/// A complete answer to a request.
public struct HTTPResponse: Sendable, Equatable {
  public var status: HTTPStatus
  public var contentType: String
  public var body: [UInt8]
  /// The methods that the path takes, for 405.
  public var allowed: [String]

  public init(
    _ text: String, status: HTTPStatus = .ok, contentType: String = "text/plain; charset=utf-8",
    allowed: [String] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.allowed = allowed
    body = Array(text.utf8)
  }

  /// The answer to a request that is refused: the status in words.
  static func refusal(_ status: HTTPStatus) -> HTTPResponse {
    HTTPResponse("\(status.rawValue) \(status.phrase)\n", status: status)
  }

  /// Returns the bytes of the response, which also announce the end of the connection.
  func bytes(withBody: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\n"
    head += "Content-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
    head += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n"
    if !allowed.isEmpty { head += "Allow: \(allowed.joined(separator: ", "))\r\n" }
    return Array((head + "\r\n").utf8) + (withBody ? body : [])
  }
}

/// The statuses that this server uses.
public enum HTTPStatus: Int, Sendable {
  case ok = 200
  case badRequest = 400
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case contentTooLarge = 413
  case expectationFailed = 417
  case headTooLarge = 431
  case notImplemented = 501
  case serviceUnavailable = 503
  case versionNotSupported = 505

  var phrase: String {
    switch self {
    case .ok: "OK"
    case .badRequest: "Bad Request"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .contentTooLarge: "Content Too Large"
    case .expectationFailed: "Expectation Failed"
    case .headTooLarge: "Request Header Fields Too Large"
    case .notImplemented: "Not Implemented"
    case .serviceUnavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}
