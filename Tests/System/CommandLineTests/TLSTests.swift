import Foundation
import TestCredentials
import Testing

/// `anechoic-server` with TLS, and `anechoic` as its client.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TLSTests {
  private let folder: Folder
  private let certificates: Certificates

  init() async throws {
    folder = try Folder()
    certificates = try await Certificates()
    try folder.write(Data("garbage\n".utf8), "garbage.pem")
  }

  private func pem(_ name: String) -> String { certificates.path("\(name).pem") }
  private func key(_ name: String) -> String { certificates.path("\(name).key") }

  private func server(
    showing name: String = "server", options: [String] = []
  ) async throws -> ServerProcess {
    try await ServerProcess(
      in: folder,
      options: ["--tls-certificate", pem(name), "--tls-key", key(name)] + options)
  }

  private func anechoic(_ arguments: [String]) async throws -> Command.Result {
    try await Command.run("anechoic", arguments, in: folder)
  }

  @Test func everyCommandSpeaksTLS() async throws {
    try folder.writeCall()
    let server = try await server(options: ["--allow-recording"])
    let way = ["--server", server.address, "--ca-file", pem("ca")]
    let process = ["process", "--microphone", "microphone.wav", "--output"]
    for arguments in [
      ["health"], ["capabilities", "--json"], ["sessions", "list"],
      process + ["out.wav", "--record", "out.rec"],
    ] {
      let result = try await anechoic(arguments + way)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    let inside = try await anechoic(process + ["inside.wav"])
    #expect(inside.status == 0, "\(inside.errors)")
    #expect(try folder.data("out.wav") == folder.data("inside.wav"))
    #expect(try !folder.data("out.rec").isEmpty)
    for arguments in [
      ["inject", "--session", "nobody", "--text", "Hello."],
      ["record", "nobody", "nobody.rec", "--wait", "0.1"],
    ] {
      let result = try await anechoic(arguments + way)
      // The error is the server's, and not an error of the connection.
      #expect(result.status == 2 && !result.errors.contains("UNAVAILABLE"), "\(result.errors)")
    }
  }

  @Test func aRefusedCertificateIsReported() async throws {
    let server = try await server(showing: "named")
    for options in [
      ["--tls"], ["--ca-file", pem("other-ca")], ["--ca-file", pem("ca")],
      ["--ca-file", pem("ca"), "--tls-server-name", "other.example"],
    ] {
      let result = try await anechoic(["health", "--server", server.address] + options)
      #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
      #expect(
        result.errors.contains(
          "\(server.address): the certificate of the server is not accepted: "),
        "\(result.errors)")
    }
    let named = try await anechoic([
      "health", "--server", server.address, "--ca-file", pem("ca"), "--tls-server-name",
      "voice.example",
    ])
    #expect(named.status == 0, "\(named.errors)")
    let plaintext = try await anechoic(["health", "--server", server.address])
    #expect(plaintext.status == 2 && plaintext.errorLines.count == 1, "\(plaintext.errors)")
  }

  @Test func clientsShowTheirCertificates() async throws {
    let socket = "unix:\(folder.path("socket"))"
    let server = try await server(
      options: ["--tls-client-ca", pem("ca"), "--listen", socket])
    func status(as name: String?) async throws -> Int32 {
      let identity = name.map { ["--certificate", pem($0), "--key", key($0)] } ?? []
      return try await anechoic(
        ["health", "--server", server.address, "--ca-file", pem("ca")] + identity
      ).status
    }
    #expect(try await status(as: "client") == 0)
    #expect(try await status(as: "stranger") == 2)
    #expect(try await status(as: nil) == 2)
    // A health check on the same machine uses this socket.
    #expect(try await anechoic(["health", "--server", socket]).status == 0)
  }

  @Test func aClientThatCannotUseItsFilesNamesThem() async throws {
    let missing = "missing.pem"
    for (options, name) in [
      (["--ca-file", missing], missing), (["--ca-file", "."], "."),
      (["--ca-file", "garbage.pem"], "garbage.pem"), (["--ca-file", "/dev/zero"], "/dev/zero"),
      (["--certificate", missing, "--key", key("client")], missing),
      (["--certificate", pem("client"), "--key", missing], missing),
      (["--certificate", "garbage.pem", "--key", key("client")], "garbage.pem"),
      (["--certificate", pem("client"), "--key", "garbage.pem"], "garbage.pem"),
      (["--certificate", pem("client"), "--key", key("server")], key("server")),
      (["--certificate", pem("weak"), "--key", key("weak")], pem("weak")),
    ] {
      try await expectFailure("anechoic", ["health"] + options, naming: name)
    }
  }

  @Test func aServerThatCannotUseItsFilesNamesThem() async throws {
    let missing = "missing.pem"
    let good = ["--tls-certificate", pem("server"), "--tls-key", key("server")]
    for (options, flag, name) in [
      (["--tls-certificate", missing, "--tls-key", key("server")], "certificate", missing),
      (["--tls-certificate", pem("server"), "--tls-key", "."], "key", "."),
      (
        ["--tls-certificate", "garbage.pem", "--tls-key", key("server")], "certificate",
        "garbage.pem"
      ),
      (["--tls-certificate", pem("server"), "--tls-key", "garbage.pem"], "key", "garbage.pem"),
      (["--tls-certificate", pem("server"), "--tls-key", key("client")], "key", key("client")),
      (good + ["--tls-client-ca", missing], "client-ca", missing),
      (good + ["--tls-client-ca", "garbage.pem"], "client-ca", "garbage.pem"),
    ] {
      try await expectFailure(
        "anechoic-server", ["--listen", "127.0.0.1:0"] + options, naming: "--tls-\(flag): \(name)")
    }
  }

  @Test(arguments: [
    ["health", "--certificate", "x"], ["health", "--key", "x"],
    ["health", "--tls-server-name", ""], ["health", "--tls-server-name", "a b"],
    ["health", "--tls", "--server", "unix:/x"], ["sessions", "list", "--key", "x"],
    ["sessions", "watch", "x", "--ca-file", "x", "--server", "unix:/x"],
    ["process", "--microphone", "x", "--output", "y.wav", "--tls"],
    ["process", "--microphone", "x", "--output", "y.wav", "--ca-file", "x"],
    ["process", "--microphone", "x", "--output", "y.wav", "--tls", "--server", "unix:/x"],
    ["process", "--microphone", "x", "--output", "y.wav", "--key", "x", "--server", "x:1"],
  ])
  func aClientsWrongUsageIsReported(arguments: [String]) async throws {
    let result = try await anechoic(arguments)
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test(arguments: [
    ["--tls-certificate", "x"], ["--tls-key", "x"], ["--tls-client-ca", "x"],
  ])
  func aServersWrongUsageIsReported(arguments: [String]) async throws {
    let result = try await Command.run("anechoic-server", arguments, in: folder)
    #expect(result.status == 64, "\(result.errors)")
  }

  private func expectFailure(
    _ tool: String, _ arguments: [String], naming name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await Command(tool, arguments, in: folder).wait(atMost: .seconds(10))
    #expect(
      result.status == 2 && !result.wasSignalled && result.errorLines.count == 1,
      "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
    #expect(
      result.errors.hasPrefix("\(tool): \(name): "), "\(result.errors)",
      sourceLocation: sourceLocation)
  }
}
