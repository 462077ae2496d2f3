import Foundation
import TestCredentials
import TestNetwork
import Testing

/// `anechoic-server` with keys at an HTTPS address, and its switches over HTTP.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct KeyAddressTests {
  private let folder: Folder
  private let issuer: TokenIssuer
  private let certificates: Certificates

  init() async throws {
    folder = try Folder()
    issuer = try await TokenIssuer()
    certificates = try await Certificates()
  }

  private struct Running {
    let process: ServerProcess
    let http: String

    /// Sends a request with a token to the HTTP listener. Returns the status and the body.
    func request(
      _ method: String, _ path: String, _ body: String = "", token: String? = nil
    ) throws -> (status: String, body: String) {
      let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
      let answer = try RawHTTPClient.exchange(
        http,
        "\(method) \(path) HTTP/1.1\r\nHost: \(http)\r\n\(authorization)"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
      let parts = answer.components(separatedBy: "\r\n\r\n")
      return (
        answer.split(separator: " ").dropFirst().first.map { String($0) } ?? "",
        parts.dropFirst().joined().trimmingCharacters(in: .newlines)
      )
    }
  }

  private func start(_ keys: [String]) async throws -> Running {
    let process = try await ServerProcess(
      in: folder,
      options: [
        "--http-listen", "127.0.0.1:0", "--authentication", "jwt", "--jwt-issuer",
        TokenIssuer.issuer, "--jwt-audience", TokenIssuer.audience,
      ] + keys)
    let line = try await process.command.line(containing: "metrics on http://")
    let http = try #require(line.split(separator: "/").dropFirst().first)
    return Running(process: process, http: String(http))
  }

  private func capabilities(_ server: Running, _ token: String) async throws -> Command.Result {
    try issuer.write(token, to: "token")
    return try await Command.run(
      "anechoic",
      ["capabilities", "--server", server.process.address, "--token-file", issuer.path("token")],
      in: folder)
  }

  /// Returns the exit status of a health check.
  private func health(_ server: Running, of service: String = "") async throws -> Int32 {
    try await Command.run(
      "anechoic-server",
      ["healthcheck", "--address", server.process.address, "--service", service], in: folder
    ).status
  }

  @Test func aServerIsReadyOnceItHasKeysAndFollowsTheirRotation() async throws {
    try issuer.write("{\"keys\":[\(issuer.ecEntry)]}", to: "keys.json")
    var issuers = try await KeyServer(issuer.folder, certificates)
    let port = try #require(issuers.host.split(separator: ":").last.flatMap { Int($0) })
    let address = issuers.address()
    issuers.stop()
    let server = try await start(
      ["--jwt-keys-url", address, "--jwt-keys-ca", certificates.path("ca.pem")])
    let old = try issuer.token(for: "olga", "media")
    let new = try issuer.token(for: "olga", "media", signedBy: .rsa)
    try await server.process.command.line(
      containing: "no client can use the server until it has keys")
    let starting = try server.request("GET", "/readyz")
    #expect(starting.status == "503" && starting.body.contains("keys"), "\(starting)")
    #expect(try await health(server) == 1)
    #expect(try await health(server, of: "anechoic.v1.VoiceProcessingService") == 1)
    #expect(try await health(server, of: "liveness") == 0)
    let early = try await capabilities(server, old)
    #expect(
      early.status == 2 && early.errors.contains("has not fetched the keys"), "\(early.errors)")

    issuers = try await KeyServer(issuer.folder, certificates, port: port)
    try await server.process.command.line(containing: "1 key is in use")
    #expect(try server.request("GET", "/readyz") == ("200", "ok"))
    #expect(try await health(server) == 0)
    #expect(try await capabilities(server, old).status == 0)

    try issuer.write("{\"keys\":[\(issuer.rsaEntry),\(issuer.ecEntry)]}", to: "keys.json")
    let rotated = try await capabilities(server, new)
    #expect(rotated.status == 0, "\(rotated.errors)")

    issuers.stop()
    server.process.command.signal(SIGHUP)
    try await server.process.command.line(containing: "the old keys remain in use")
    #expect(try server.request("GET", "/readyz") == ("200", "ok"))
    #expect(try await capabilities(server, new).status == 0)
    let metrics = try server.request("GET", "/metrics").body
    #expect(metrics.contains("anechoic_reloads_total{part=\"keys\",outcome=\"failed\"}"))
    let fetched = metrics.split(separator: "\n").first {
      $0.hasPrefix("anechoic_token_keys_fetched_timestamp_seconds ")
    }
    let time = try #require(fetched?.split(separator: " ").last.flatMap { Double($0) })
    #expect(abs(time - Date.now.timeIntervalSince1970) < 120)
    server.process.command.signal(SIGTERM)
    #expect(try await server.process.command.wait().status == 0)
  }

  @Test(arguments: [
    ["--jwt-keys-url", "http://127.0.0.1/keys.json"], ["--jwt-keys-url", "https://"],
    ["--jwt-keys-url", "https://user:secret@a.example/keys"],
    ["--jwt-keys-url", "https://a.example", "--jwt-keys", "x"],
    ["--jwt-keys-ca", "x", "--jwt-keys", "x"],
    ["--jwt-keys-url", "https://a.example", "--jwt-keys-ca", "missing.pem"],
    ["--jwt-keys-url", "https://a.example", "--jwt-keys-ca", "/proc/self/status"],
    ["--jwt-keys-url", "https://a.example", "--jwt-keys-refresh", "59s"],
  ])
  func wrongAddressesAreReported(options: [String]) async throws {
    let result = try await Command.run(
      "anechoic-server",
      ["--authentication", "jwt", "--jwt-issuer", "a", "--jwt-audience", "b"] + options, in: folder)
    #expect(result.status == 64 && result.errors.contains("--jwt-keys"), "\(result.errors)")
  }

  @Test func switchesOverHTTPNeedTheScopeOfOperators() async throws {
    let server = try await start(["--jwt-keys", issuer.path("keys.json")])
    let media = try issuer.token(for: "kitchen", "media control inject")
    let admin = try issuer.token(for: "olga", "admin")
    for (path, value, other) in [("/log-level", "info", "debug"), ("/injection", "on", "off")] {
      #expect(try server.request("GET", path) == ("200", value))
      let anonymous = try server.request("PUT", path, other)
      #expect(anonymous.status == "401" && anonymous.body.contains("no token"), "\(anonymous)")
      let stranger = try server.request("PUT", path, other, token: media + "x")
      #expect(stranger.status == "401", "\(stranger)")
      let refused = try server.request("PUT", path, other, token: media)
      #expect(
        refused == ("403", "\(path) needs the scope \"admin\""), "\(refused)")
      #expect(try server.request("GET", path) == ("200", value))
      #expect(try server.request("PUT", path, other, token: admin) == ("200", other))
      #expect(try server.request("PUT", path, "nonsense", token: admin).status == "400")
      #expect(try server.request("GET", path) == ("200", other))
    }
    try await server.process.command.line(containing: "principal=olga")
  }

  @Test func withoutAuthenticationSwitchesAreOpen() async throws {
    let process = try await ServerProcess(in: folder, options: ["--http-listen", "127.0.0.1:0"])
    let line = try await process.command.line(containing: "metrics on http://")
    let http = try #require(line.split(separator: "/").dropFirst().first)
    let server = Running(process: process, http: String(http))
    #expect(try server.request("PUT", "/injection", "off") == ("200", "off"))
  }

  @Test func nobodyTurnsSwitchesOverHTTPWithCertificates() async throws {
    let process = try await ServerProcess(
      in: folder,
      options: [
        "--http-listen", "127.0.0.1:0", "--authentication", "certificate", "--tls-certificate",
        certificates.path("server.pem"), "--tls-key", certificates.path("server.key"),
        "--tls-client-ca", certificates.path("ca.pem"),
      ])
    let line = try await process.command.line(containing: "metrics on http://")
    let http = try #require(line.split(separator: "/").dropFirst().first)
    let server = Running(process: process, http: String(http))
    let refused = try server.request("PUT", "/injection", "off")
    #expect(refused.status == "401" && refused.body.contains("certificate"), "\(refused)")
    #expect(try server.request("GET", "/injection") == ("200", "on"))
  }
}
