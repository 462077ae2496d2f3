internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import LinuxSystem
internal import Operations
internal import Synchronization

/// The options of a bridge whose clients connect with TLS.
struct ListenerSecurityOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The certificate of the bridge and its intermediate certificates, a PEM file. Makes --listen speak "
        + "TLS only (wss://).", valueName: "file"))
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
  /// From here on, SIGHUP does not end the bridge, with and without a certificate.
  func security() throws -> ListenerSecurity? {
    let hangups = ReloadSignals()
    guard let listenCertificate, let listenKey else { return nil }
    return try ListenerSecurity(certificate: listenCertificate, key: listenKey, hangups)
  }
}

/// The protection of a listener with the certificate of two files, which SIGHUP lets it read again.
final class ListenerSecurity: Sendable {
  /// The time between two looks at the end of the certificate.
  private static let pause = Duration.seconds(3600)

  let http: HTTPSecurity
  private let certificate: String
  private let key: String
  private let hangups: ReloadSignals
  private let validity: Mutex<CertificateValidity>
  private let expiry = Mutex(CertificateExpiry())

  init(certificate: String, key: String, _ hangups: ReloadSignals) throws {
    self.certificate = certificate
    self.key = key
    self.hangups = hangups
    let budget = Mutex(LogBudget())
    let (identity, validity) = try Self.identity(certificate, key)
    self.validity = Mutex(validity)
    http = HTTPSecurity(identity) { failure in
      // Programs that look whether the port is open only connect.
      guard failure != .closed,
        case .write(let suppressed) = budget.withLock({ $0.take(for: failure.problem, now: .now) })
      else { return }
      let others = suppressed > 0 ? " (and \(suppressed) times before, without a line)" : ""
      BridgeLog.write("TLS handshake failed: \(failure.problem)\(others)")
    }
  }

  /// The time at which the certificate in use expires, in seconds since 1970.
  var certificateEnd: Int64 { validity.withLock { $0.last } }

  private static func identity(
    _ certificate: String, _ key: String
  ) throws -> (TLSIdentity, CertificateValidity) {
    let identity = try CertificateFiles.identity(
      certificate: CertificateFile(certificate, namedBy: "--listen-certificate"),
      key: CertificateFile(key, namedBy: "--listen-key"))
    do { return (try TLSIdentity(identity), identity.validity) } catch {
      throw CommandError("--listen-certificate: \(certificate): \(error)")
    }
  }

  /// Reads the files again at each SIGHUP, and tells once a day that the certificate expires soon, or has
  /// expired. Returns when the task is cancelled.
  func watch() async {
    await withTaskGroup { group in
      group.addTask { [self] in for await _ in hangups.signals { reload() } }
      group.addTask { [self] in
        repeat { tellExpiry() } while (try? await Task.sleep(for: Self.pause)) != nil
      }
    }
  }

  /// Reads the files again. If they cannot be used, the old certificate stays in use.
  private func reload() {
    do {
      let (identity, validity) = try Self.identity(certificate, key)
      http.identity = identity
      self.validity.withLock { $0 = validity }
      BridgeLog.write("certificate reloaded; running calls keep theirs")
      tellExpiry()
    } catch {
      BridgeLog.write("certificate not reloaded, the old one stays in use: \(error)")
    }
  }

  private func tellExpiry() {
    let (time, validity) = (Duration.now.components.seconds, validity.withLock { $0 })
    let state = CertificateExpiry.state(of: validity, at: time)
    guard expiry.withLock({ $0.isDue(state, at: time) }), let words = state.words(validity) else {
      return
    }
    BridgeLog.write("--listen-certificate: \(certificate): \(words)")
  }
}
