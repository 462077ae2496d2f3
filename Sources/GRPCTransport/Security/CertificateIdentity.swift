internal import CGRPC

/// What a side of a connection shows to prove who it is: a certificate, and the key to it.
public struct CertificateIdentity: Sendable {
  let certificateChain: [UInt8]
  let key: [UInt8]

  /// Both are PEM. The chain begins with the own certificate and goes on with those in between it
  /// and one that the other side trusts. Throws when anything of it cannot be used, and for a key
  /// that is encrypted or of another certificate.
  public init(certificateChain: [UInt8], key: [UInt8]) throws(CertificateError) {
    let finding = certificateChain.withUnsafeBytes { chain in
      key.withUnsafeBytes { cgrpc_check_identity(chain.c, $0.c) }
    }
    try CertificateError.check(finding)
    self.certificateChain = certificateChain
    self.key = key
  }
}
