internal import CGRPC

/// Whom a side of a connection trusts: certificates that sign those of others.
public struct CertificateAuthorities: Sendable {
  let pem: [UInt8]

  /// `pem` holds one certificate or more. Throws when any of them cannot be used.
  public init(pem: [UInt8]) throws(CertificateError) {
    try CertificateError.check(pem.withUnsafeBytes { cgrpc_check_authorities($0.c) })
    self.pem = pem
  }
}
