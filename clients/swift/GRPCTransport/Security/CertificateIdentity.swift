internal import CGRPC

/// The proof of who one side of a connection is: a certificate and its key.
public struct CertificateIdentity: Sendable {
  let certificateChain: [UInt8]
  let key: [UInt8]

  /// Creates an identity from PEM. The chain starts with the certificate of this side, followed by
  /// those that lead to an authority that the other side trusts. Throws when a certificate or the key
  /// cannot be used, also when the key is encrypted or belongs to another certificate.
  public init(certificateChain: [UInt8], key: [UInt8]) throws(CertificateError) {
    let finding = certificateChain.withUnsafeBytes { chain in
      key.withUnsafeBytes { cgrpc_check_identity(chain.c, $0.c) }
    }
    try CertificateError.check(finding)
    self.certificateChain = certificateChain
    self.key = key
  }
}
