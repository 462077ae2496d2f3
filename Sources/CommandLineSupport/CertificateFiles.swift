internal import Foundation
public import GRPCTransport

/// Certificates and keys from files. What is wrong with one is a failure that names it.
public enum CertificateFiles {
  /// No certificate is near as long, and some devices never end.
  private static let maximumBytes = 1 << 20

  public static func authorities(_ path: String) throws(CommandFailure) -> CertificateAuthorities {
    let pem = try read(path)
    do {
      return try CertificateAuthorities(pem: pem)
    } catch {
      throw CommandFailure("\(path): \(error)")
    }
  }

  public static func identity(
    certificate: String, key: String
  ) throws(CommandFailure) -> CertificateIdentity {
    let (chainPEM, keyPEM) = (try read(certificate), try read(key))
    do {
      return try CertificateIdentity(certificateChain: chainPEM, key: keyPEM)
    } catch {
      switch error {
      case .certificates: throw CommandFailure("\(certificate): \(error)")
      case .key: throw CommandFailure("\(key): \(error)")
      case .keyOfAnotherCertificate:
        throw CommandFailure("\(key): not the key of the certificate in \(certificate)")
      }
    }
  }

  /// TLS with what the files hold; those that are nil are left out, a certificate without its key too.
  public static func channelSecurity(
    authorities: String?, certificate: String?, key: String?, serverName: String?
  ) throws(CommandFailure) -> ChannelSecurity {
    var trusted: CertificateAuthorities?
    if let authorities { trusted = try Self.authorities(authorities) }
    var own: CertificateIdentity?
    if let certificate, let key { own = try identity(certificate: certificate, key: key) }
    return .tls(authorities: trusted, identity: own, serverName: serverName)
  }

  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CommandFailure(systemErrorAt: path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= maximumBytes {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw CommandFailure(systemErrorAt: path) }
      bytes += buffer[..<count]
    }
    throw CommandFailure("\(path): too long for a certificate or a key")
  }
}
