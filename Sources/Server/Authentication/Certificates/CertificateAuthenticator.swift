internal import GRPCTransport

/// Identifies clients by the names in their certificates, which TLS has verified: a URI, a DNS name
/// or an e-mail address of the subject alternative names, or otherwise the subject's common name.
public struct CertificateAuthenticator: Authenticator {
  private let scopes: ScopeMap

  public init(scopes: ScopeMap) { self.scopes = scopes }

  public func authentication(of call: any Caller) -> Authentication {
    let properties = call.peerProperties
    guard !properties.isEmpty else {
      return .refused(.missing("the client has shown no certificate"))
    }
    guard let name = CertificateName.of(properties) else {
      return .refused(
        .invalid("the certificate contains no name of 1 to 100 printable ASCII characters"))
    }
    return .known(
      Identified(
        Principal(
          name: name, host: PeerAddress.host(of: call.peer), scopes: scopes.scopes(of: name),
          isVerified: true)))
  }
}
