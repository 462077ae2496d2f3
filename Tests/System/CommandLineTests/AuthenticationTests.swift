import Foundation
import TestCredentials
import Testing

/// `anechoic-server` with authentication, and the programs that use it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AuthenticationTests {
  private let folder: Folder
  private let issuer: TokenIssuer

  init() async throws {
    folder = try Folder()
    issuer = try await TokenIssuer()
  }

  /// The options of a server that trusts the issuer.
  private var options: [String] {
    [
      "--authentication", "jwt", "--jwt-keys", issuer.path("keys.json"),
      "--jwt-issuer", TokenIssuer.issuer, "--jwt-audience", TokenIssuer.audience,
    ]
  }

  private func anechoic(_ arguments: [String]) async throws -> Command.Result {
    try await Command.run("anechoic", arguments, in: folder)
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0"])
  func aServerForOtherMachinesNeedsAMode(address: String) async throws {
    let refused = try await Command("anechoic-server", ["--listen", address], in: folder)
      .wait(atMost: .seconds(20))
    #expect(refused.status == 2 && refused.errorLines.count == 1, "\(refused.errors)")
    #expect(refused.errors.contains("--authentication none"), "\(refused.errors)")
    let open = try Command(
      "anechoic-server", ["--listen", address, "--authentication", "none"], in: folder)
    try await open.line(containing: "listening on")
    open.signal(SIGTERM)
    #expect(try await open.wait().status == 0)
  }

  @Test func everyCommandPresentsAToken() async throws {
    try folder.writeCall()
    let server = try await ServerProcess(in: folder, options: options + ["--allow-recording"])
    try issuer.write(
      try issuer.token(for: "olga", "media read control inject") + "\n", to: "token")
    let way = ["--server", server.address, "--token-file", issuer.path("token")]
    for arguments in [
      ["capabilities", "--json"], ["sessions", "list"],
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--record", "out.rec",
      ],
    ] {
      let result = try await anechoic(arguments + way)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      let anonymous = try await anechoic(arguments + ["--server", server.address])
      #expect(
        anonymous.status == 2
          && anonymous.errors.contains("UNAUTHENTICATED: the call has no token"),
        "\(arguments): \(anonymous.errors)")
    }
    let show = try await anechoic(["sessions", "show", "nobody"] + way)
    #expect(show.status == 2 && show.errors.contains("NOT_FOUND"), "\(show.errors)")
    #expect(try await anechoic(["health", "--server", server.address]).status == 0)
  }

  @Test func aTokenIsNotSentInPlaintext() async throws {
    try issuer.write("secret", to: "token")
    let token = ["--token-file", issuer.path("token")]
    for arguments in [
      ["health", "--server", "192.0.2.1:50051"],
      ["sessions", "list", "--server", "voice.example:1"],
      ["process", "--microphone", "x", "--output", "y.wav"],
    ] {
      let result = try await anechoic(arguments + token)
      #expect(result.status == 64 && result.errors.contains("--token-file"), "\(result.errors)")
    }
    let edge = try await Command.run(
      "anechoic-edge", ["run", "--check", "--server", "192.0.2.1:50051"] + token, in: folder)
    #expect(edge.status == 64 && edge.errors.contains("without TLS"), "\(edge.errors)")
  }

  @Test func aTokenFileThatCannotBeReadIsNamed() async throws {
    let server = try await ServerProcess(in: folder, options: options)
    let result = try await anechoic([
      "capabilities", "--server", server.address, "--token-file", "missing",
    ])
    #expect(result.status == 2 && result.errors.contains("missing"), "\(result.errors)")
  }

  @Test func anEdgeAgentWaitsForItsTokenAndCallsThroughItHaveIt() async throws {
    let server = try await ServerProcess(in: folder, options: options)
    let socket = folder.path("agent")
    let agent = try Command(
      "anechoic-edge",
      [
        "run", "--server", server.address, "--token-file", issuer.path("token"), "--input", "null",
        "--output", "null", "--control-socket", socket,
      ], in: folder)
    try await agent.line(containing: "trying again")
    try issuer.write(try issuer.token(for: "kitchen", "media read control"), to: "token")
    try await agent.line(containing: "runs")
    for command in ["mute", "unmute"] {
      let result = try await Command.run(
        "anechoic-edge", [command, "--control-socket", socket], in: folder)
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
    agent.signal(SIGTERM)
    #expect(try await agent.wait().status == 0)
  }

  @Test func newKeysAreReadAndBadOnesReported() async throws {
    let server = try await ServerProcess(in: folder, options: options)
    try issuer.write("garbage", to: "keys.json")
    try await server.command.line(containing: "the old keys remain in use")
    try issuer.write(try issuer.token(for: "olga", "media"), to: "token")
    let way = ["--server", server.address, "--token-file", issuer.path("token")]
    #expect(try await anechoic(["capabilities"] + way).status == 0)
    try issuer.write("{\"keys\":[\(issuer.rsaEntry)]}", to: "keys.json")
    try await server.command.line(containing: "1 key is in use")
    let refused = try await anechoic(["capabilities"] + way)
    #expect(refused.status == 2 && refused.errors.contains("UNAUTHENTICATED"), "\(refused.errors)")
  }

  @Test func permissionsAreKeptInAFile() async throws {
    try folder.write(Data("garbage".utf8), "permissions.json")
    let result = try await Command.run(
      "anechoic-server",
      ["--listen", "127.0.0.1:0", "--injection-permissions-file", "permissions.json"] + options,
      in: folder)
    #expect(result.status == 2 && result.errors.contains("permissions.json"), "\(result.errors)")
  }

  @Test func anAnswerAboutInjectionIsRemembered() async throws {
    let stored = ["--injection-permissions-file", folder.path("permissions.json")]
    let server = try await ServerProcess(in: folder, options: options + stored)
    try folder.writeCall(milliseconds: 6000)
    try issuer.write(try issuer.token(for: "olga", "media read control inject"), to: "token")
    let way = ["--server", server.address, "--token-file", issuer.path("token")]
    for options in [["--grant-injection", "always", "--remember-injection"], []] {
      let media = try Command(
        "anechoic",
        [
          "process", "--microphone", "microphone.wav", "--output", "out.wav", "--pacing",
          "real-time", "--session-id", "call",
        ] + options + way, in: folder)
      let limit = ContinuousClock.now + .seconds(10)
      while try await anechoic(["sessions", "show", "call"] + way).status != 0 {
        try #require(ContinuousClock.now < limit)
      }
      let injected = try await anechoic(["inject", "--session", "call", "--text", "hello"] + way)
      #expect(injected.status == 0, "\(options): \(injected.errors)")
      media.signal(SIGINT)
      _ = try await media.wait()
    }
  }

  @Test func keysThatCannotBeUsedAreNamed() async throws {
    #expect(mkfifo(issuer.path("fifo.json"), 0o600) == 0)
    for (file, problem) in [
      ("missing.json", "no such file"), ("rsa.key", "private key"), (".", "is a directory"),
      ("fifo.json", "not a regular file"),
    ] {
      var options = options
      options[3] = issuer.path(file)
      let result = try await Command.run(
        "anechoic-server", ["--listen", "127.0.0.1:0"] + options, in: folder)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
      #expect(result.errors.contains(problem), "\(result.errors)")
    }
  }

  @Test func aFIFOIsNoTokenFileAndNoKeyAndNothingWaitsForIt() async throws {
    #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
    for (program, arguments) in [
      ("anechoic", ["sessions", "list", "--token-file", "fifo"]),
      ("anechoic", ["sessions", "list", "--ca-file", "fifo"]),
      ("anechoic-bridge", ["audiosocket", "--application", "127.0.0.1:1", "--token-file", "fifo"]),
      ("anechoic-server", ["--tls-certificate", "fifo", "--tls-key", "fifo"]),
    ] {
      let result = try await Command(program, arguments, in: folder).wait(atMost: .seconds(10))
      #expect(result.status == 2 && result.errorLines.count == 1, "\(arguments) \(result.errors)")
      #expect(result.errors.contains("fifo: this is not a regular file"), "\(result.errors)")
    }
  }

  @Test func certificatesNeedAnAuthority() async throws {
    let result = try await Command.run(
      "anechoic-server", ["--listen", "127.0.0.1:0", "--authentication", "certificate"], in: folder)
    #expect(result.status == 64 && result.errors.contains("--tls-client-ca"), "\(result.errors)")
  }

  @Test(arguments: [
    ["--authentication", "jwt"], ["--authentication", "password"], ["--jwt-keys", "x"],
    ["--authentication", "jwt", "--jwt-keys", "x", "--jwt-issuer", "x"],
    ["--authentication", "jwt", "--jwt-keys", "x", "--jwt-issuer", "", "--jwt-audience", "x"],
    ["--jwt-clock-skew", "11m"], ["--certificate-scopes", "a=media"],
    ["--authentication", "certificate", "--certificate-scopes", "a"],
    ["--authentication", "certificate", "--certificate-scopes", "a=root"],
    ["--authentication", "certificate", "--certificate-default-scopes", "all"],
    ["--injection-permissions-file", "x"],
    ["--authentication", "none", "--injection-permissions-file", "x"],
  ])
  func wrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic-server", arguments, in: folder)
    #expect(result.status == 64, "\(arguments): \(result.errors)")
  }
}
