import AnechoicAPI
import Foundation
import Testing
import VoiceServer

/// `anechoic-server`, and what asks it how it is.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ServerProcessTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsItInOrder(signal: Int32) async throws {
    let server = try await ServerProcess(in: folder)
    server.command.signal(signal)
    let result = try await server.command.wait()
    #expect(result.status == 0 && !result.wasSignalled, "\(result.errors)")
  }

  @Test func healthAndCapabilitiesAreTold() async throws {
    let server = try await ServerProcess(in: folder)
    let health = try await anechoic("health", server)
    #expect(health.status == 0 && health.text == "SERVING\n" && health.errors.isEmpty)
    let service = try await anechoic(
      "health", server, ["--service", "anechoic.v1.VoiceProcessingService"])
    #expect(service.status == 0)
    let unknown = try await anechoic("health", server, ["--service", "nobody"])
    #expect(unknown.status == 2 && unknown.errorLines.count == 1, "\(unknown.errors)")
    let capabilities = try await folder.capabilities(
      of: anechoic("capabilities", server, ["--json"]).output)
    #expect(capabilities["version"] as? String == anechoicVersion)
    #expect((capabilities["sampleRatesHz"] as? [Int])?.contains(44100) == true)
    #expect(try await !anechoic("capabilities", server).text.isEmpty)
  }

  @Test(arguments: [
    "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
    "256.0.0.1:5000", "unix:", "unix:/nowhere/at/all", "",
  ])
  func whatIsNoAddressIsTold(address: String) async throws {
    try await expectRefusal(["--listen", address], status: 2)
  }

  @Test(arguments: [["--threads", "0"], ["--max-sessions", "0"], ["--drain-time", "x"], ["--x"]])
  func wrongUsageIsTold(arguments: [String]) async throws {
    try await expectRefusal(["--listen", "127.0.0.1:0"] + arguments, status: 64)
  }

  @Test(arguments: ["127.0.0.1:0", "unix:"])
  func anAddressInUseIsToldAndItsServerGoesOn(address: String) async throws {
    let address = address == "unix:" ? "unix:\(folder.path("socket"))" : address
    let server = try await ServerProcess(in: folder, listening: address)
    try await expectRefusal(["--listen", server.address], status: 2)
    #expect(try await anechoic("health", server).status == 0)
  }

  @Test func theSocketOfAKilledServerIsTakenOver() async throws {
    let address = "unix:\(folder.path("socket"))"
    let killed = try await ServerProcess(in: folder, listening: address)
    killed.command.signal(SIGKILL)
    _ = try await killed.command.wait()
    let server = try await ServerProcess(in: folder, listening: address)
    #expect(try await anechoic("health", server).status == 0)
  }

  @Test func aKilledClientLeavesNothingBehind() async throws {
    try folder.writeCall(milliseconds: 20_000)
    let server = try await ServerProcess(in: folder)
    let client = try Command(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--pacing",
        "real-time", "--server", server.address,
      ], in: folder)
    try await sessionsActive(server, become: 1)
    client.signal(SIGKILL)
    _ = try await client.wait()
    try await sessionsActive(server, become: nil)
  }

  @Test func moreSessionsThanTheAnswerHoldsAreNoCrash() async throws {
    let command = try Command(
      "anechoic-server", ["--listen", "unix:\(folder.path("s"))", "--max-sessions", "9000000000"],
      in: folder)
    _ = try await command.line(containing: "listening on ")
    let result = try await Command.run(
      "anechoic", ["capabilities", "--json", "--server", "unix:\(folder.path("s"))"], in: folder)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Waits until the server tells of so many sessions; nil is none, which JSON leaves out.
  private func sessionsActive(_ server: ServerProcess, become count: Int?) async throws {
    let limit = ContinuousClock.now + .seconds(10)
    while true {
      let capabilities = try await folder.capabilities(
        of: anechoic("capabilities", server, ["--json"]).output)
      if capabilities["sessionsActive"] as? Int == count { return }
      try #require(ContinuousClock.now < limit, "\(capabilities)")
    }
  }

  private func anechoic(
    _ command: String, _ server: ServerProcess, _ options: [String] = []
  ) async throws -> Command.Result {
    try await Command.run(
      "anechoic", [command, "--server", server.address] + options, in: folder)
  }

  private func expectRefusal(
    _ arguments: [String], status: Int32, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await Command("anechoic-server", arguments, in: folder).wait(
      atMost: .seconds(5))
    #expect(
      result.status == status && !result.wasSignalled, "\(result.errors)",
      sourceLocation: sourceLocation)
    #expect(
      status != 2 || result.errorLines.count == 1, "\(result.errors)",
      sourceLocation: sourceLocation)
  }
}

extension Folder {
  func capabilities(of output: Data) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
  }
}
