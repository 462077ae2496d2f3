internal import ArgumentParser
internal import CommandLineSupport
internal import LinuxSystem
internal import Operations
internal import Synchronization

/// The options of a bridge whose clients connect with TLS.
struct ListenerSecurityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The certificate of the bridge and its intermediate certificates, a PEM file. Makes --listen speak "
        + "wss:// only.", valueName: "file"))
  var listenCertificate: String?

  @Option(
    help: ArgumentHelp("The private key of --listen-certificate, a PEM file.", valueName: "file"))
  var listenKey: String?

  func validate() throws {
    guard (listenCertificate == nil) == (listenKey == nil) else {
      throw ValidationError("--listen-certificate and --listen-key must be given together.")
    }
  }

  /// Returns the protection of the listener, or nil without a certificate. Throws if a file cannot be used.
  func security() throws -> ListenerSecurity? {
    guard let listenCertificate, let listenKey else { return nil }
    return try ListenerSecurity(certificate: listenCertificate, key: listenKey)
  }
}

/// The protection of a listener with the certificate of two files, which can be read again.
struct ListenerSecurity: Sendable {
  let http: HTTPSecurity
  private let certificate: String
  private let key: String

  init(certificate: String, key: String) throws {
    self.certificate = certificate
    self.key = key
    let budget = Mutex(LogBudget())
    http = HTTPSecurity(try Self.identity(certificate, key)) { failure in
      // Programs that look whether the port is open only connect.
      guard failure != .closed,
        case .write = budget.withLock({ $0.take(for: failure.problem, now: .now) })
      else { return }
      BridgeLog.write("TLS handshake failed: \(failure.problem)")
    }
  }

  private static func identity(_ certificate: String, _ key: String) throws -> TLSIdentity {
    let identity = try CertificateFiles.identity(
      certificate: CertificateFile(certificate, namedBy: "--listen-certificate"),
      key: CertificateFile(key, namedBy: "--listen-key"))
    do { return try TLSIdentity(identity) } catch {
      throw CommandError("--listen-certificate: \(certificate): \(error)")
    }
  }

  /// Reads the files again. If they cannot be used, the old certificate stays in use.
  func reload() {
    do {
      http.identity = try Self.identity(certificate, key)
      BridgeLog.write("certificate reloaded; running calls keep theirs")
    } catch {
      BridgeLog.write("certificate not reloaded, the old one stays in use: \(error)")
    }
  }
}
