public import GRPCTransport

/// A file with certificates or a key, and what it is called in failures.
public struct CertificateFile {
  /// No certificate is near as long.
  private static let maximumBytes = 1 << 20

  let path: String
  let title: String

  /// `place` is what names the file, where that is worth telling.
  public init(_ path: String, namedBy place: String? = nil) {
    self.path = path
    title = place.map { "\($0): \(path)" } ?? path
  }

  func read() throws(CommandFailure) -> [UInt8] {
    try ShortFile.read(path, title: title, atMost: Self.maximumBytes)
  }
}

/// Certificates and keys from files. What is wrong with one is a failure that names it.
public enum CertificateFiles {
  public static func authorities(
    _ file: CertificateFile
  ) throws(CommandFailure) -> CertificateAuthorities {
    let pem = try file.read()
    do {
      return try CertificateAuthorities(pem: pem)
    } catch {
      throw CommandFailure("\(file.title): \(error)")
    }
  }

  public static func identity(
    certificate: CertificateFile, key: CertificateFile
  ) throws(CommandFailure) -> CertificateIdentity {
    let (chainPEM, keyPEM) = (try certificate.read(), try key.read())
    do {
      return try CertificateIdentity(certificateChain: chainPEM, key: keyPEM)
    } catch {
      switch error {
      case .certificates: throw CommandFailure("\(certificate.title): \(error)")
      case .key: throw CommandFailure("\(key.title): \(error)")
      case .keyOfAnotherCertificate:
        throw CommandFailure("\(key.title): not the key of the certificate in \(certificate.path)")
      }
    }
  }

  /// TLS with what the files hold; those that are nil are left out, a certificate without its key too.
  public static func channelSecurity(
    authorities: CertificateFile?, certificate: CertificateFile?, key: CertificateFile?,
    serverName: String?
  ) throws(CommandFailure) -> ChannelSecurity {
    var trusted: CertificateAuthorities?
    if let authorities { trusted = try Self.authorities(authorities) }
    var own: CertificateIdentity?
    if let certificate, let key { own = try identity(certificate: certificate, key: key) }
    return .tls(authorities: trusted, identity: own, serverName: serverName)
  }
}
