/// The full name of an RPC.
public struct Method: Sendable, Hashable, CustomStringConvertible {
  /// The service with its package, such as `grpc.health.v1.Health`.
  public let service: String
  public let name: String

  public init(service: String, name: String) {
    self.service = service
    self.name = name
  }

  /// The name on the wire, such as `/grpc.health.v1.Health/Check`.
  public var path: String { "/\(service)/\(name)" }

  public var description: String { path }
}
