public import GRPCTransport
public import LinuxSystem

/// A regular file with certificates or a key, and the name of the file in failures.
public struct CertificateFile {
  /// The maximum size of a file, far above the size of any certificate.
  private static let maximumBytes = 1 << 20

  let path: String
  let title: String

  /// Creates a file. `place` is the configuration key that names the file, or nil.
  public init(_ path: String, namedBy place: String? = nil) {
    self.path = path
    title = place.map { "\($0): \(path)" } ?? path
  }

  func read() throws(CommandError) -> [UInt8] {
    do { return try RegularFile.read(path, atMost: Self.maximumBytes) } catch {
      throw CommandError("\(title): \(error)")
    }
  }
}

/// The reader of certificates and keys. A failure names the file.
public enum CertificateFiles {
  public static func authorities(
    _ file: CertificateFile
  ) throws(CommandError) -> CertificateAuthorities {
    let pem = try file.read()
    do {
      return try CertificateAuthorities(pem: pem)
    } catch {
      throw CommandError("\(file.title): \(error)")
    }
  }

  public static func identity(
    certificate: CertificateFile, key: CertificateFile
  ) throws(CommandError) -> CertificateIdentity {
    let (chainPEM, keyPEM) = (try certificate.read(), try key.read())
    do {
      return try CertificateIdentity(certificateChain: chainPEM, key: keyPEM)
    } catch {
      switch error {
      case .certificates: throw CommandError("\(certificate.title): \(error)")
      case .key: throw CommandError("\(key.title): \(error)")
      case .keyOfAnotherCertificate:
        throw CommandError(
          "\(key.title): this is not the key of the certificate in \(certificate.path)")
      }
    }
  }

  /// Returns the TLS settings from the files. A file that is nil is left out. A certificate without
  /// a key is left out too.
  public static func channelSecurity(
    authorities: CertificateFile?, certificate: CertificateFile?, key: CertificateFile?,
    serverName: String?
  ) throws(CommandError) -> ChannelSecurity {
    var trusted: CertificateAuthorities?
    if let authorities { trusted = try Self.authorities(authorities) }
    var own: CertificateIdentity?
    if let certificate, let key { own = try identity(certificate: certificate, key: key) }
    return .tls(authorities: trusted, identity: own, serverName: serverName)
  }
}

extension TLSIdentity {
  /// Creates the identity of a listener without gRPC.
  public convenience init(_ identity: CertificateIdentity) throws(TLSError) {
    try self.init(certificateChain: identity.certificateChain, key: identity.key)
  }
}
