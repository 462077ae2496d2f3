internal import CGRPC

/// The authorities that one side of a connection trusts: certificates that sign other certificates.
public struct CertificateAuthorities: Sendable {
  let pem: [UInt8]

  /// Creates authorities from PEM with at least one certificate. Throws if any of the certificates
  /// cannot be used.
  public init(pem: [UInt8]) throws(CertificateError) {
    try CertificateError.check(pem.withUnsafeBytes { cgrpc_check_authorities($0.c) })
    self.pem = pem
  }
}
