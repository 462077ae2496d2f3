internal import GRPCTransport

/// A certificate that a server uses, with its time.
struct UsedCertificate: Sendable {
  /// The key of the settings: `tls.certificate` or `tls.client_ca`.
  let setting: String
  let validity: CertificateValidity

  /// The label of the metric.
  var label: String { setting == "tls.certificate" ? "server" : "client_ca" }

  /// Returns the certificates of a configuration.
  static func all(of security: ServerSecurity) -> [UsedCertificate] {
    guard case .tls(let identity, let authorities) = security else { return [] }
    let own = UsedCertificate(setting: "tls.certificate", validity: identity.validity)
    guard let authorities else { return [own] }
    return [own, UsedCertificate(setting: "tls.client_ca", validity: authorities.validity)]
  }
}
