import Foundation
import TestCredentials
import TestNetwork
import Testing

/// The settings of `anechoic-server`: its file, its environment, and reloads.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SettingsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func write(_ text: String) throws { try folder.write(Data(text.utf8), "server.yaml") }

  private func checkConfig(_ options: [String] = []) async throws -> Command.Result {
    try await Command.run("anechoic-server", ["check-config", "server.yaml"] + options, in: folder)
  }

  @Test func aMistakeInTheFileIsNamedWithLineAndKey() async throws {
    try write("limits:\n  max_sessions: none\n")
    for arguments in [
      ["check-config", "server.yaml"], ["check-config", "--config", "server.yaml"],
      ["--config", "server.yaml"],
    ] {
      let result = try await Command.run("anechoic-server", arguments, in: folder)
      #expect(result.status == 2)
      #expect(
        result.errors
          == """
          anechoic-server: server.yaml:2: limits.max_sessions: "none" is not allowed; use 1 or more

          """)
    }
  }

  @Test func optionsOfTheServerAreCheckedToo() async throws {
    try write("limits:\n  max_sessions: 7\n")
    let given = try await checkConfig(["--print", "--max-sessions", "9"])
    #expect(given.text.contains("limits.max_sessions: 9  # --max-sessions\n"), "\(given.errors)")
    let wrong = try await checkConfig(["--listen", "foo"])
    #expect(wrong.status == 64 && wrong.errors.contains("--listen"), "\(wrong.errors)")
    let unused = try await Command.run(
      "anechoic-server", ["measure", "--max-sessions", "9"], in: folder)
    #expect(unused.status == 64, "\(unused.errors)")
    #expect(unused.errors.contains("--max-sessions has no effect on a measurement"))
  }

  @Test func theSampleIsAcceptedAndSetsNothing() async throws {
    let sample = try await Command.run("anechoic-server", ["check-config", "--sample"], in: folder)
    try folder.write(sample.output, "server.yaml")
    let result = try await checkConfig(["--print"])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text.contains("limits.max_sessions: 1000  # default\n"), "\(result.text)")
  }

  @Test func theOriginOfAValueIsPrinted() async throws {
    try write("\nlimits:\n  max_sessions: 7\n")
    let result = try await checkConfig(["--print"])
    #expect(result.text.contains("limits.max_sessions: 7  # server.yaml:3\n"), "\(result.text)")
  }

  @Test(arguments: [
    ("tls: {certificate: none.pem, key: none.key}", "tls.certificate: none.pem: no such file"),
    ("authentication: {mode: certificate}", "authentication.mode: certificate needs"),
    ("listen: {public: \"0.0.0.0:0\"}", "listen.public: other machines can reach 0.0.0.0:0"),
    (
      "authentication: {mode: jwt, jwt_keys: none, jwt_issuer: a, jwt_audience: b}",
      "authentication.jwt_keys: none: no such file"
    ),
    ("log: {audit_file: none/audit.log}", "log.audit_file: none/audit.log: no such file"),
    ("log: {audit_file: /tmp}", "log.audit_file: /tmp: is a directory"),
    ("log: {audit_file: /proc/x}", "log.audit_file: /proc/x: no such file"),
    (
      "log: {audit_file: new}\nlisten: {public: \"unix:./new\"}",
      "log.audit_file: is the file of listen.public"
    ),
    (
      "tracing: {endpoint: \"https://a/v1\", headers_file: /dev/null}",
      "tracing.headers_file: /dev/null: has no headers"
    ),
    ("log: {audit_file: ./server.yaml}", "log.audit_file: is the file of the settings"),
    (
      "log: {audit_file: new}\ntls: {certificate: a, key: ./new}",
      "log.audit_file: is the file of tls.key"
    ),
    (
      "tracing: {endpoint: \"http://a:70000/v1\"}",
      "tracing.endpoint: \"http://a:70000/v1\" is not allowed"
    ),
    (
      "tracing: {endpoint: \"http://[::1/v1\"}",
      "tracing.endpoint: \"http://[::1/v1\" is not allowed"
    ),
    ("log: {audit_file: fifo}", "log.audit_file: fifo: no such device or address"),
    (
      "sessions: {injection_permissions_file: /}\nauthentication: {mode: certificate}\n"
        + "tls: {client_ca: a, certificate: b, key: c}", "tls.certificate: b: no such file"
    ),
  ])
  func aServerThatCouldNotStartIsNoticedBefore(text: String, problem: String) async throws {
    try write(text)
    // A FIFO without a reader.
    mkfifo(folder.path("fifo"), 0o600)
    let result = try await checkConfig()
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains(": \(problem)"), "\(result.errors)")
    #expect(result.errors.hasPrefix("anechoic-server: server.yaml:"), "\(result.errors)")
  }

  @Test(arguments: [
    ("listen:\n\tpublic: x\n", "server.yaml:2:1: a tab is not allowed here; indent with spaces"),
    (
      "limits:\n  max_sessions: \"7\nlog: {}\n",
      "server.yaml:2:17: the quotation mark is never closed"
    ),
    ("limits: {max_sessions: 7\nlog: {}\n", "server.yaml:1:9: the { is never closed"),
  ])
  func aFileThatIsNoYAMLIsNamedWithLineAndColumn(text: String, problem: String) async throws {
    try write(text)
    let result = try await checkConfig()
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.hasPrefix("anechoic-server: \(problem)"), "\(result.errors)")
  }

  @Test func aVariableThatIsAlmostOneOfTheServerIsAWarning() async throws {
    try write("")
    let result = try await Command.run(
      "/usr/bin/env",
      [
        "ANECHOIC_RECORDING=true", "ANECHOIC_SERVICE_PORT=50051", Command.path("anechoic-server"),
        "check-config", "server.yaml",
      ], in: folder)
    #expect(result.status == 0 && result.errorLines.count == 1, "\(result.errors)")
    #expect(
      result.errors.contains(
        "warning: ANECHOIC_RECORDING: no key belongs to this variable; did you mean "
          + "ANECHOIC_ALLOW_RECORDING?"), "\(result.errors)")
  }

  @Test func theCheckLeavesNothingBehind() async throws {
    try write("log: {audit_file: new.log}\nsessions: {profiles_directory: new}\n")
    let result = try await checkConfig()
    #expect(result.status == 0, "\(result.errors)")
    for name in ["new.log", "new"] {
      #expect(!FileManager.default.fileExists(atPath: folder.path(name)), "\(name)")
    }
  }

  @Test func theCheckKeepsAFolderAndNamesOneThatCannotBeMade() async throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("kept"), withIntermediateDirectories: false)
    try write("sessions: {profiles_directory: kept}\n")
    #expect(try await checkConfig().status == 0)
    #expect(FileManager.default.fileExists(atPath: folder.path("kept")))
    try write("sessions: {profiles_directory: missing/new}\n")
    let refused = try await checkConfig()
    #expect(
      refused.status == 2
        && refused.errors.contains(
          "server.yaml:1: sessions.profiles_directory: missing/new: no such file or directory"),
      "\(refused.errors)")
  }

  @Test func anExpiredCertificateIsNoticed() async throws {
    let certificates = try await Certificates()
    let (certificate, key) = (certificates.path("expired.pem"), certificates.path("expired.key"))
    try write("tls: {certificate: \(certificate), key: \(key)}\n")
    let refused = try await checkConfig()
    #expect(refused.status == 2, "\(refused.errors)")
    #expect(
      refused.errors.hasPrefix(
        "anechoic-server: server.yaml:1: tls.certificate: the certificate expired on "),
      "\(refused.errors)")
    let allowed = try await checkConfig(["--allow-expired"])
    #expect(allowed.status == 0, "\(allowed.errors)")
    #expect(allowed.errors.contains("warning: server.yaml:1: tls.certificate: the certificate exp"))
    let server = try await ServerProcess(in: folder, options: ["--config", "server.yaml"])
    try await server.command.line(containing: "error tls.certificate: the certificate expired on ")
  }

  @Test(.enabled(if: getuid() == 0, "only root may check as another user"))
  func theCheckIsMadeWithTheRightsOfAnotherUser() async throws {
    let certificates = try await Certificates()
    let (certificate, key) = (certificates.path("server.pem"), certificates.path("server.key"))
    try write("tls: {certificate: \(certificate), key: \(key)}\n")
    for file in [folder.url.path, certificates.folder.path, folder.url.path + "/server.yaml"] {
      chmod(file, 0o755)
    }
    chmod(key, 0o600)
    #expect(try await checkConfig().status == 0)
    let other = try await checkConfig(["--user", "nobody"])
    #expect(
      other.status == 2 && other.errors.contains("tls.key: \(key): permission denied"),
      "\(other.errors)")
    let unknown = try await checkConfig(["--user", "no-such-user"])
    #expect(unknown.status == 2 && unknown.errors.contains("there is no user no-such-user"))
  }

  @Test func systemdIsToldWhenTheServerIsReadyReloadsAndStops() async throws {
    let manager = try #require(ServiceManagerSocket())
    try write("sessions: {drain_time: 60s}\n")
    let server = try Command(
      "/usr/bin/env",
      [
        "NOTIFY_SOCKET=\(manager.name)", "WATCHDOG_USEC=300000", Command.path("anechoic-server"),
        "--config", "server.yaml", "--listen", "127.0.0.1:0", "--admin-listen", "off",
        "--http-listen", "off",
      ], in: folder)
    #expect(try await manager.messages(until: "READY=1").last == "READY=1")
    #expect(try await manager.messages(until: "WATCHDOG=1").last == "WATCHDOG=1")
    try write("sessions: {drain_time: x}\n")
    server.signal(SIGHUP)
    let reload = try await manager.messages(until: "STATUS=settings not reloaded: server.yaml:1:")
    #expect(reload.contains { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }, "\(reload)")
    #expect(reload.suffix(2).first == "READY=1", "\(reload)")
    server.signal(SIGTERM)
    let end = try await manager.messages(until: "STOPPING=1")
    #expect(end.last == "STOPPING=1\nEXTEND_TIMEOUT_USEC=75000000", "\(end)")
    #expect(try await server.wait().status == 0)
  }

  @Test(arguments: [("nonsense", "must be a path"), ("/nowhere/at/all", "takes no message")])
  func aSocketOfSystemdThatCannotBeUsedIsAWarning(socket: String, problem: String) async throws {
    let server = try Command(
      "/usr/bin/env",
      [
        "NOTIFY_SOCKET=\(socket)", Command.path("anechoic-server"), "--listen", "127.0.0.1:0",
        "--admin-listen", "off", "--http-listen", "off",
      ], in: folder)
    let line = try await server.line(containing: "NOTIFY_SOCKET: ")
    #expect(line.contains(" warning ") && line.contains(problem), "\(line)")
    server.signal(SIGTERM)
    #expect(try await server.wait().status == 0)
  }

  @Test func systemdIsToldThatTheAuditLogCouldNotBeReopened() async throws {
    let manager = try #require(ServiceManagerSocket())
    try FileManager.default.createDirectory(
      atPath: folder.path("logs"), withIntermediateDirectories: false)
    let server = try Command(
      "/usr/bin/env",
      [
        "NOTIFY_SOCKET=\(manager.name)", Command.path("anechoic-server"), "--listen",
        "127.0.0.1:0", "--admin-listen", "off", "--http-listen", "off", "--audit-log",
        "logs/audit.log",
      ], in: folder)
    #expect(try await manager.messages(until: "STATUS=ready").last == "STATUS=ready")
    try FileManager.default.removeItem(atPath: folder.path("logs"))
    server.signal(SIGHUP)
    let told = try await manager.messages(until: "STATUS=audit log not reopened")
    #expect(told.last?.contains("logs/audit.log") == true, "\(told)")
    server.signal(SIGTERM)
    #expect(try await server.wait().status == 0)
  }

  @Test func aHealthcheckWithoutAnAddressToAskIsAMistakeOfTheSettings() async throws {
    let certificates = try await Certificates()
    try write(
      """
      tls: {certificate: \(certificates.path("server.pem")), key: \(certificates.path("server.key"))}
      listen: {admin: off}
      """)
    let result = try await Command.run(
      "anechoic-server", ["healthcheck", "--config", "server.yaml"], in: folder)
    #expect(result.status == 2 && result.errors.contains("listen.admin"), "\(result.errors)")
  }

  @Test func reloadsCertificatesAndFailedHandshakesAreMetrics() async throws {
    let certificates = try await Certificates()
    try write(
      """
      tls: {certificate: \(certificates.path("server.pem")), key: \(certificates.path("server.key"))}
      listen: {http: "127.0.0.1:0"}
      """)
    let server = try await ServerProcess(
      in: folder, options: ["--config", "server.yaml", "--http-listen", "127.0.0.1:0"])
    let line = try await server.command.line(containing: "metrics on ")
    let page = String(line.split(separator: " ").last ?? "")
    func metrics() async throws -> String {
      try await Command.run("/usr/bin/curl", ["--silent", page], in: folder).text
    }
    let before = try await metrics()
    #expect(
      before.contains("anechoic_certificate_expiry_timestamp_seconds{certificate=\"server\"} 1"))
    #expect(!before.contains("grpc_server_handled_total{"))
    _ = try await Command.run(
      "/usr/bin/curl", ["--silent", "http://\(server.address)/"], in: folder)
    try await server.command.line(containing: "TLS handshake failed reason=not_tls problem=")
    try write("x")
    server.command.signal(SIGHUP)
    try await server.command.line(containing: "settings not reloaded")
    let after = try await metrics()
    #expect(after.contains("anechoic_reloads_total{part=\"settings\",outcome=\"failed\"} 1\n"))
    #expect(after.contains("anechoic_tls_handshakes_failed_total{reason=\"not_tls\"} 1\n"))
  }

  @Test func theOperatorsListenerAnswersTheHealthcheck() async throws {
    let (server, address) = try await serverWithOperators()
    for arguments in [[], ["--service", "readiness"], ["--service", "liveness"]] {
      let health = try await Command.run(
        "anechoic-server", ["healthcheck", "--address", address] + arguments, in: folder)
      #expect(health.status == 0 && health.text == "SERVING\n", "\(health.errors)")
    }
    let refused = try await Command.run(
      "anechoic", ["capabilities", "--server", address], in: folder)
    #expect(refused.status == 2 && refused.errors.contains("UNIMPLEMENTED"), "\(refused.errors)")
    server.command.signal(SIGTERM)
    #expect(try await server.command.wait().status == 0)
    let gone = try await Command.run(
      "anechoic-server", ["healthcheck", "--address", address, "--timeout", "1s"], in: folder)
    #expect(gone.status == 1 && gone.errorLines.count == 1, "\(gone.errors)")
  }

  private func serverWithOperators() async throws -> (ServerProcess, String) {
    let server = try await ServerProcess(in: folder, options: ["--admin-listen", "127.0.0.1:0"])
    let line = try await server.command.line(containing: "health for operators on ")
    return (server, String(line.split(separator: " ").last ?? ""))
  }

  @Test func anAdminAddressThatWasGivenAndIsTakenEndsTheStart() async throws {
    let (server, address) = try await serverWithOperators()
    let second = try await Command(
      "anechoic-server", ["--listen", "127.0.0.1:0", "--admin-listen", address], in: folder
    ).wait(atMost: .seconds(20))
    #expect(second.status == 2 && second.errors.contains(address), "\(second.errors)")
    server.command.signal(SIGTERM)
  }

  @Test func aReloadAppliesWhatItCanAndNamesTheRest() async throws {
    try write("limits:\n  max_sessions: 7\n  max_message: 1MiB\n")
    let server = try await ServerProcess(in: folder, options: ["--config", "server.yaml"])
    try write("limits:\n  max_sessions: 9\n  max_message: 2MiB\n")
    server.command.signal(SIGHUP)
    try await server.command.line(
      containing: "limits.max_sessions changed from 7 to 9: applied")
    try await server.command.line(
      containing: "limits.max_message changed from 1MiB to 2MiB: needs a restart")
    let capabilities = try await folder.capabilities(
      of: Command.run(
        "anechoic", ["capabilities", "--json", "--server", server.address], in: folder
      ).output)
    #expect(capabilities["sessionsMax"] as? Int == 9)
    try write("limits:\n  max_sessions: 8\n  idle_limit: x\n")
    server.command.signal(SIGHUP)
    try await server.command.line(
      containing: "all stay as they are: server.yaml:3: limits.idle_limit: \"x\" is not allowed")
    let unchanged = try await folder.capabilities(
      of: Command.run(
        "anechoic", ["capabilities", "--json", "--server", server.address], in: folder
      ).output)
    #expect(unchanged["sessionsMax"] as? Int == 9)
  }

  @Test func aNewCertificateIsUsedAndAWrongOneIsNot() async throws {
    let certificates = try await Certificates()
    func use(_ name: String, keyOf other: String? = nil) throws {
      try folder.write(Data(certificates.bytes("\(name).pem")), "tls.pem")
      try folder.write(Data(certificates.bytes("\(other ?? name).key")), "tls.key")
    }
    func health(_ name: String) async throws -> Int32 {
      try await Command.run(
        "anechoic",
        [
          "health", "--server", server.address, "--ca-file", certificates.path("ca.pem"),
          "--tls-server-name", name,
        ], in: folder
      ).status
    }
    try use("server")
    let server = try await ServerProcess(
      in: folder, options: ["--tls-certificate", "tls.pem", "--tls-key", "tls.key"])
    #expect(try await health("localhost") == 0)
    try use("named", keyOf: "server")
    try await server.command.line(containing: "certificates not reloaded, the old ones stay in use")
    #expect(try await health("localhost") == 0)
    try use("named")
    try await server.command.line(containing: "certificates reloaded")
    #expect(try await health("voice.example") == 0)
    #expect(try await health("localhost") == 2)
  }
}
