import Operations
import TestNetwork

typealias Client = RawHTTPClient

extension RawHTTPClient {
  convenience init(_ listener: HTTPListener) throws { try self.init(listener.address) }

  static func exchange(_ listener: HTTPListener, _ request: String) throws -> String {
    try withExtendedLifetime(listener) { try exchange(listener.address, request) }
  }

  static func put(_ listener: HTTPListener, _ path: String, _ body: String) throws -> String {
    try withExtendedLifetime(listener) {
      try exchange(
        listener.address,
        "PUT \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
          + body)
    }
  }
}
