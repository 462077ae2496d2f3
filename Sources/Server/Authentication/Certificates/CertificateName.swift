internal import AnechoicAPI
internal import GRPCTransport

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
