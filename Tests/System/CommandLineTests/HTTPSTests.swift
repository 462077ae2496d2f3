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

  /// A client of Process whose token is a subprotocol, as in a browser. Prints the head of the answer and the
  /// first message.
  private static let client = """
    import json, socket, ssl, sys
    authority, port, protocols = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    connection = socket.create_connection(("127.0.0.1", int(port)), 20)
    connection = context.wrap_socket(connection, server_hostname="127.0.0.1")
    lines = ["GET /v1/process HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
             "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
             f"Sec-WebSocket-Protocol: {protocols}", "", ""]
    microphone = {"encoding": "AUDIO_ENCODING_PCM_S16LE", "sampleRateHz": 16000, "channelCount": 1}
    start = json.dumps({"start": {"inputs": {"microphone": microphone}}}).encode()
    frame = bytes([0x81, 0xFE]) + len(start).to_bytes(2, "big") + bytes(4) + start
    connection.sendall("\\r\\n".join(lines).encode() + frame)
    stream = connection.makefile("rb")
    while line := stream.readline().strip():
        print(line.decode())
    length = stream.read(2)[1]
    print(stream.read(int.from_bytes(stream.read(2), "big") if length == 126 else length).decode())
    """

  @Test(.enabled(if: Python.isThere, "scripts/bootstrap installs it"))
  func theTokenOfABrowserComesAsASubprotocol() async throws {
    try use("server")
    try folder.write(Data(Self.client.utf8), "client.py")
    let issuer = try await TokenIssuer()
    let (server, address) = try await server([
      "--websocket", "on", "--authentication", "jwt", "--jwt-keys", issuer.path("keys.json"),
      "--jwt-issuer", TokenIssuer.issuer, "--jwt-audience", TokenIssuer.audience,
    ])
    defer { server.command.signal(SIGTERM) }
    let port = String(address.split(separator: ":").last ?? "")
    func open(_ protocols: String) async throws -> String {
      let result = try await Command.run(
        Python.path, ["client.py", certificates.path("ca.pem"), port, protocols], in: folder)
      #expect(result.status == 0, "\(result.errors)")
      return result.text
    }
    let token = try issuer.token(for: "olga", "media")
    let good = try await open("anechoic.v1, anechoic.bearer.\(token)")
    #expect(good.contains("Sec-WebSocket-Protocol: anechoic.v1\n") && !good.contains(token))
    #expect(good.contains("\"started\":{"), "\(good)")
    let missing = try await open("anechoic.v1")
    #expect(missing.contains("CREDENTIALS_MISSING") && !missing.contains("started"), "\(missing)")
    let stranger = try issuer.token(for: "olga", "media", signedBy: .stranger)
    let forged = try await open("anechoic.v1, anechoic.bearer.\(stranger)")
    #expect(forged.contains("UNAUTHENTICATED") && !forged.contains("started"), "\(forged)")
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
