internal import CGRPC

/// The proof of who one side of a connection is: a certificate and its key.
public struct CertificateIdentity: Sendable {
  package let certificateChain: [UInt8]
  package let key: [UInt8]
  /// The time when all certificates of the chain are valid.
  public let validity: CertificateValidity

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
    validity = CertificateValidity(
      certificateChain.withUnsafeBytes { cgrpc_chain_validity($0.c) })
  }
}

/// The authorities that one side of a connection trusts: certificates that sign other certificates.
public struct CertificateAuthorities: Sendable {
  let pem: [UInt8]
  /// The time when any of the certificates is valid.
  public let validity: CertificateValidity

  /// Creates authorities from PEM with at least one certificate. Throws if any of the certificates
  /// cannot be used.
  public init(pem: [UInt8]) throws(CertificateError) {
    try CertificateError.check(pem.withUnsafeBytes { cgrpc_check_authorities($0.c) })
    self.pem = pem
    validity = CertificateValidity(pem.withUnsafeBytes { cgrpc_authorities_validity($0.c) })
  }
}

/// The time when certificates are valid, in seconds since 1970 by the wall clock.
public struct CertificateValidity: Sendable, Equatable {
  public let first: Int64
  public let last: Int64

  public init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }

  init(_ c: cgrpc_validity) { self.init(first: c.first, last: c.last) }
}

/// A fault in PEM that makes it unusable, found before a connection fails because of it.
public enum CertificateError: Error, Equatable, CustomStringConvertible {
  /// No usable certificate. The reason is a short text of OpenSSL or of this module.
  case certificates(reason: String)
  case key(reason: String)
  /// The key is valid, but belongs to another certificate.
  case keyOfAnotherCertificate

  public var description: String {
    switch self {
    case .certificates(let reason): "no usable certificate (\(reason))"
    case .key(let reason): "no usable private key (\(reason))"
    case .keyOfAnotherCertificate: "the key does not belong to the certificate"
    }
  }

  static func check(_ finding: cgrpc_pem_finding) throws(CertificateError) {
    let reason = finding.reason.map { String(cString: $0) } ?? ""
    switch finding.fault {
    case CGRPC_PEM_BAD_CERTIFICATES: throw .certificates(reason: reason)
    case CGRPC_PEM_BAD_KEY: throw .key(reason: reason)
    case CGRPC_PEM_KEY_OF_ANOTHER: throw .keyOfAnotherCertificate
    default: break
    }
  }
}
