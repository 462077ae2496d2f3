import Foundation
import TestCredentials
import Testing

/// The HTTP address of `anechoic-server`, and the bridges, with TLS.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPSTests {
  private let folder: Folder
  private let certificates: Certificates

  init() async throws {
    folder = try Folder()
    certificates = try await Certificates()
  }

  /// Makes a certificate that of the program under test.
  private func use(_ name: String) throws {
    for end in ["pem", "key"] {
      try folder.write(Data(certificates.bytes("\(name).\(end)")), "own.\(end)")
    }
  }

  private func curl(
    _ url: String, trusting authority: String = "ca", _ options: [String] = []
  ) async throws -> Command.Result {
    try await Command.run(
      "/usr/bin/curl",
      [
        "--silent", "--show-error", "--max-time", "20", "--cacert",
        certificates.path("\(authority).pem"), url,
      ]
        + options, in: folder)
  }

  /// Starts a server with TLS on its HTTP address. Returns this address too.
  private func server(_ options: [String] = []) async throws -> (ServerProcess, String) {
    let server = try await ServerProcess(
      in: folder,
      options: [
        "--tls-certificate", "own.pem", "--tls-key", "own.key", "--tls-http", "--http-listen",
        "127.0.0.1:0",
      ] + options)
    let line = try await server.command.line(containing: "metrics on https://")
    let address = line.split(separator: "/").first { $0.hasPrefix("127.0.0.1:") } ?? ""
    return (server, String(address))
  }

  @Test func thePagesComeOverTLSOnly() async throws {
    try use("server")
    let (server, address) = try await server()
    try await server.command.line(containing: "page to try it on https://\(address)/try")
    for path in ["metrics", "try", "live", "livez", "try/bot.wav"] {
      let answer = try await curl(
        "https://\(address)/\(path)", ["--output", "/dev/null", "--write-out", "%{http_code}"])
      #expect(answer.text == "200", "\(path): \(answer.errors)")
    }
    #expect(try await curl("https://\(address)/livez", trusting: "other-ca").status != 0)
    let plain = try await curl("http://\(address)/livez", ["--write-out", "%{http_code}"])
    #expect(plain.text == "this address speaks HTTPS only; use https://\n400")
    let old = try await curl(
      "https://\(address)/livez", ["--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"])
    #expect(old.status == 35, "\(old.errors)")
    try await server.command.line(containing: "reason=not_tls")
    try await server.command.line(containing: "reason=version_or_cipher")
    let metrics = try await curl("https://\(address)/metrics").text
    #expect(metrics.contains("anechoic_tls_handshakes_failed_total{reason=\"not_tls\"} 1\n"))
    #expect(
      metrics.contains("anechoic_certificate_expiry_timestamp_seconds{certificate=\"server\"} "))
  }

  @Test func clientCertificatesAreForGRPCOnly() async throws {
    try use("chained")
    let (server, address) = try await server(["--tls-client-ca", certificates.path("ca.pem")])
    defer { server.command.signal(SIGTERM) }
    #expect(try await curl("https://\(address)/livez").text == "ok\n")
    let door = try await curl("https://\(address)/v1/process").text
    #expect(door.contains("this address asks for none"), "\(door)")
  }

  @Test func aNewCertificateIsUsedAndGarbageIsNot() async throws {
    try use("server")
    let (server, address) = try await server()
    #expect(try await curl("https://\(address)/livez").text == "ok\n")
    try folder.write(Data("garbage\n".utf8), "own.pem")
    try await server.command.line(containing: "certificates not reloaded")
    let metrics = try await curl("https://\(address)/metrics").text
    #expect(
      metrics.contains("anechoic_reloads_total{part=\"certificates\",outcome=\"failed\"} 1\n"))
    try use("named")
    try await server.command.line(containing: "certificates reloaded")
    let port = address.split(separator: ":").last ?? ""
    let named = try await curl(
      "https://voice.example:\(port)/livez", ["--resolve", "voice.example:\(port):127.0.0.1"])
    #expect(named.text == "ok\n", "\(named.errors)")
    #expect(try await curl("https://\(address)/livez").status == 60)
  }

  @Test func wrongUsageIsReported() async throws {
    let bridge = ["media-streams", "--upstream", "ws://127.0.0.1:9"]
    for (tool, arguments) in [
      ("anechoic-server", ["--tls-http"]), ("anechoic-bridge", bridge + ["--listen-key", "x"]),
      ("anechoic-bridge", bridge + ["--listen-certificate", "x"]),
    ] {
      let result = try await Command.run(tool, arguments, in: folder)
      #expect(result.status == 64, "\(result.errors)")
    }
  }

  @Test func aBridgeWithWrongFilesNamesThem() async throws {
    try use("server")
    try folder.write(Data("garbage\n".utf8), "garbage.pem")
    for (certificate, key, words) in [
      ("missing.pem", "own.key", "--listen-certificate: missing.pem: "),
      ("garbage.pem", "own.key", "--listen-certificate: garbage.pem: no usable certificate"),
      (".", "own.key", "--listen-certificate: .: "),
      ("own.pem", ".", "--listen-key: .: "),
      ("own.pem", certificates.path("client.key"), "not the key of the certificate"),
      ("own.pem", certificates.path("client-encrypted.key"), "encrypted with a password"),
    ] {
      let result = try await Command.run(
        "anechoic-bridge",
        [
          "realtime", "--listen", "127.0.0.1:0", "--upstream", "ws://127.0.0.1:9",
          "--listen-certificate", certificate, "--listen-key", key,
        ], in: folder)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test(arguments: ["realtime", "media-streams"])
  func aBridgeListensWithTLSAndReadsItsCertificateAgain(command: String) async throws {
    try use("server")
    let bridge = try Command(
      "anechoic-bridge",
      [
        command, "--listen", "127.0.0.1:0", "--upstream", "ws://127.0.0.1:9",
        "--listen-certificate", "own.pem", "--listen-key", "own.key",
      ], in: folder)
    let line = try await bridge.line(containing: "listening on ")
    let address = line.split(separator: " ").last ?? ""
    let status = ["--output", "/dev/null", "--write-out", "%{http_code}"]
    #expect(try await curl("https://\(address)/", status).text == "426")
    #expect(try await curl("http://\(address)/", status).text == "400")
    let upgrade = [
      "--header", "Connection: Upgrade", "--header", "Upgrade: websocket", "--header",
      "Sec-WebSocket-Version: 13", "--header", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    // The refusal of the upstream comes over TLS too.
    #expect(try await curl("https://\(address)/", upgrade + status).text == "502")
    try folder.write(Data("garbage\n".utf8), "own.key")
    bridge.signal(SIGHUP)
    try await bridge.line(containing: "certificate not reloaded, the old one stays in use: ")
    #expect(try await curl("https://\(address)/", status).text == "426")
    try use("named")
    bridge.signal(SIGHUP)
    try await bridge.line(containing: "certificate reloaded")
    #expect(try await curl("https://\(address)/", status).status == 60)
    bridge.signal(SIGTERM)
    #expect(try await bridge.wait().status == 0)
  }
}
