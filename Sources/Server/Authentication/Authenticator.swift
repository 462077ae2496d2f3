internal import AnechoicAPI
public import GRPCTransport

/// Finds out who a call's client is.
public protocol Authenticator: Sendable {
  /// Decides about a call, without blocking its thread.
  func authentication(of call: any Caller) -> Authentication

  /// Whether the authenticator can identify clients. Once it can, it always can.
  var isReady: Bool { get }
}

extension Authenticator {
  public var isReady: Bool { true }
}

/// The finding of an authenticator.
public enum Authentication: Sendable {
  case known(Identified)
  case refused(AuthenticationError)
  /// The finding takes longer, and is made on a thread of `BackgroundExecutor`.
  case pending(@Sendable () async -> Result<Identified, AuthenticationError>)
}

/// A client that an authenticator has identified.
public struct Identified: Sendable {
  public let principal: Principal
  /// The time from now at which the client's proof expires. Nil if the proof does not expire, or if
  /// running calls continue after the proof has expired.
  public let lifetime: Duration?

  public init(_ principal: Principal, lifetime: Duration? = nil) {
    self.principal = principal
    self.lifetime = lifetime
  }
}

/// The reason why a call has no principal. The descriptions contain nothing of a token.
public enum AuthenticationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name in the header `anechoic-client` is not allowed.
  case badClientName
  /// The call carries no proof of the client's identity.
  case missing(String)
  /// The proof is not accepted.
  case invalid(String)
  /// Too many calls wait until their tokens have been verified.
  case tooManyWait
  /// The keys that verify tokens have not been fetched yet.
  case keysUnavailable

  public var description: String {
    switch self {
    case .badClientName: ClientNameRule.text
    case .missing(let problem), .invalid(let problem): problem
    case .tooManyWait: "too many calls wait until their tokens have been verified"
    case .keysUnavailable: "the server has not fetched the keys that verify tokens yet"
    }
  }
}

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

/// Accepts every client under the name that it gives itself in the header `anechoic-client`, or
/// under the name of its host if it gives none.
public struct NoAuthentication: Authenticator {
  public init() {}

  public func authentication(of call: any Caller) -> Authentication {
    let host = PeerAddress.host(of: call.peer)
    guard let name = call.metadata[RPC.clientName], !name.isEmpty else {
      return .known(Identified(.unverified(name: host, host: host)))
    }
    guard ClientNameRule.allows(name) else { return .refused(.badClientName) }
    return .known(Identified(.unverified(name: name, host: host)))
  }
}
