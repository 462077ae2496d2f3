internal import AnechoicAPI
internal import GRPCTransport

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
