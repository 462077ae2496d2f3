internal import CGRPC

/// Why some PEM cannot be used. Told before there is a connection that it could fail.
public enum CertificateError: Error, Equatable, CustomStringConvertible {
  /// The reason is a few words of OpenSSL's or of this module's.
  case certificates(reason: String)
  case key(reason: String)
  /// The key is fine, and belongs to another certificate.
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
