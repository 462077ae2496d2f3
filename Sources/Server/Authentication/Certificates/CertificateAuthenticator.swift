internal import AnechoicAPI
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

/// The name of a client in its certificate.
enum CertificateName {
  /// libgrpc's names of the properties of a certificate, the preferred ones first: the subject
  /// alternative names, and then the common name of the subject.
  private static let properties = ["peer_uri", "peer_dns", "peer_email", "x509_common_name"]

  /// Returns the first name that follows `ClientNameRule`, or nil if there is none.
  static func of(_ properties: [PeerProperty]) -> String? {
    for name in Self.properties {
      let property = properties.first { $0.name == name && ClientNameRule.allows($0.value) }
      if let property { return property.value }
    }
    return nil
  }
}
