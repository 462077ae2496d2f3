public import GRPCTransport

/// The facts about a call from which an authenticator finds its client.
public protocol Caller {
  /// The client's address, as gRPC writes it: `ipv4:127.0.0.1:40112`.
  var peer: String { get }
  var metadata: Metadata { get }
  /// The properties of the certificate that TLS has verified.
  var peerProperties: [PeerProperty] { get }
}

extension ServerCall: Caller {}

/// A client that does not call over gRPC, and so shows no certificate.
public struct PlainCaller: Caller, Sendable {
  public let peer: String
  public let metadata: Metadata
  public var peerProperties: [PeerProperty] { [] }

  public init(peer: String, metadata: Metadata) {
    self.peer = peer
    self.metadata = metadata
  }
}
