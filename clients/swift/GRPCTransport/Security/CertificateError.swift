internal import CGRPC

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
