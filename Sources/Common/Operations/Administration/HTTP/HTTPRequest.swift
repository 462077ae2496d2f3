/// A request of an operator.
public struct HTTPRequest: Sendable, Equatable {
  public var method: String
  /// The path without the query: `/metrics`.
  public var path: String
  /// The headers with lower-case names.
  public var headers: [String: String]
  public var body: [UInt8]
  /// The address of the client, as gRPC writes it: `ipv4:127.0.0.1:40112`.
  public var peer: String

  public init(
    method: String, path: String, headers: [String: String] = [:], body: [UInt8] = [],
    peer: String = ""
  ) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
    self.peer = peer
  }
}
