/// The full name of an RPC.
public struct Method: Sendable, Hashable, CustomStringConvertible {
  /// With its package, such as `grpc.health.v1.Health`.
  public let service: String
  public let name: String

  public init(service: String, name: String) {
    self.service = service
    self.name = name
  }

  /// As on the wire: `/grpc.health.v1.Health/Check`.
  public var path: String { "/\(service)/\(name)" }

  public var description: String { path }
}
