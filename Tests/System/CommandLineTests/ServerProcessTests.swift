import AnechoicAPI
import Foundation
import Testing
import VoiceServer

/// `anechoic-server`, and the commands that ask for its state.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ServerProcessTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsTheServerInOrder(signal: Int32) async throws {
    let server = try await ServerProcess(in: folder)
    server.command.signal(signal)
    let result = try await server.command.wait()
    #expect(result.status == 0 && !result.wasSignalled, "\(result.errors)")
  }

  /// No signal gets lost while the program begins to handle signals.
  @Test func aSignalAtAnyMomentOfTheStartEndsTheServer() async throws {
    for moment in 0..<12 {
      let command = try Command(
        "anechoic-server", ["--listen", "127.0.0.1:0", "--admin-listen", "off"], in: folder)
      try await Task.sleep(for: .milliseconds(5 * moment))
      command.signal(SIGTERM)
      let result = try await command.wait()
      let ended = result.wasSignalled ? result.status == SIGTERM : result.status == 0
      #expect(ended, "\(5 * moment) ms: \(result.status), \(result.errors)")
    }
  }

  @Test func healthAndCapabilitiesAreShown() async throws {
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
    let engines = try #require(capabilities["engines"] as? [[String: Any]])
    #expect(engines.map { $0["isDefault"] as? Bool ?? false }.first == true)
    #expect(try await !anechoic("capabilities", server).text.isEmpty)
  }

  @Test(arguments: [
    "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
    "unix:", "",
  ])
  func anInvalidAddressIsWrongUsage(address: String) async throws {
    try await expectRefusal(["--listen", address], status: 64, saying: "--listen: \"\(address)\"")
  }

  @Test(arguments: [
    ("256.0.0.1:5000", "the host is unknown"),
    ("192.0.2.1:5000", "the host is not an address of this machine"),
    ("unix:/nowhere/at/all", "the folder does not exist"),
    ("unix:/etc/hostname", "the path exists and is not a socket"),
  ])
  func anUnavailableAddressIsReportedWithTheReason(
    address: String, reason: String
  ) async throws {
    try await expectRefusal(
      ["--listen", address, "--authentication", "none"], status: 2,
      saying: "cannot listen on \(address): \(reason)")
  }

  @Test(arguments: [("027", 0o770), ("022", 0o755), ("077", 0o700)])
  func theGroupUsesASocketWhereItMayReadAndOthersMayNot(umask: String, mode: mode_t) async throws {
    let socket = folder.path("socket")
    let server = try Command(
      "/bin/sh",
      [
        "-c", "umask \(umask) && exec \"$@\"", "sh", Command.path("anechoic-server"), "--listen",
        "unix:\(socket)", "--admin-listen", "off", "--http-listen", "off",
      ], in: folder)
    try await server.line(containing: "listening on unix:")
    var info = stat()
    #expect(stat(socket, &info) == 0 && info.st_mode & 0o777 == mode)
    server.signal(SIGTERM)
    #expect(try await server.wait().status == 0)
  }

  @Test func anUnknownEngineIsWrongUsage() async throws {
    try await expectRefusal(
      ["--engine", "silence"], status: 64,
      saying: "--engine: \"silence\" is not an engine of this program; use anechoic")
  }

  @Test func theEngineOfAJobIsChosenByItsName() async throws {
    try folder.writeCall(milliseconds: 200)
    let server = try await ServerProcess(
      in: folder, options: ["--engine", "webrtc-audio-processing"])
    for options in [[], ["--server", server.address]] {
      func process(_ engine: String) async throws -> Command.Result {
        try await Command.run(
          "anechoic",
          [
            "process", "--microphone", "microphone.wav", "--output", "out.wav", "--engine", engine,
          ] + options, in: folder)
      }
      let known = try await process("webrtc-audio-processing")
      #expect(known.status == 0, "\(known.errors)")
      let unknown = try await process("silence")
      #expect(unknown.status == 2 && unknown.errorLines.count == 1)
      #expect(
        unknown.errors.contains("start.engine: \"silence\" is not an engine of this program"),
        "\(unknown.errors)")
    }
  }

  @Test func clientsWaitForAServerThatIsStarting() async throws {
    try folder.writeCall(milliseconds: 200)
    for (index, arguments) in [
      ["health"], ["capabilities"], ["sessions", "list"],
      ["process", "--microphone", "microphone.wav", "--output", "out.wav"],
    ].enumerated() {
      let address = "unix:\(folder.path("socket\(index)"))"
      let client = try Command(
        "anechoic", arguments + ["--server", address, "--connect-timeout", "20s"], in: folder)
      let server = try await ServerProcess(in: folder, listening: address)
      let result = try await client.wait()
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      server.command.signal(SIGTERM)
      #expect(try await server.command.wait().status == 0)
    }
  }

  @Test func healthWaitsForAPortUntilItServesAndNoLonger() async throws {
    let free = try await ServerProcess(in: folder)
    free.command.signal(SIGTERM)
    _ = try await free.command.wait()
    let client = try Command(
      "anechoic", ["health", "--wait", "20s", "--server", free.address], in: folder)
    let server = try await ServerProcess(in: folder, listening: free.address)
    let result = try await client.wait()
    #expect(result.status == 0 && result.text == "SERVING\n", "\(result.errors)")
    server.command.signal(SIGTERM)
    _ = try await server.command.wait()
    let began = ContinuousClock.now
    let vain = try await Command.run(
      "anechoic",
      ["health", "--wait", "300ms", "--connect-timeout", "0", "--server", free.address], in: folder)
    #expect(vain.status == 2 && vain.errorLines.count == 1, "\(vain.errors)")
    #expect(ContinuousClock.now - began >= .milliseconds(300))
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aServerWhoseLogIsClosedDrainsItsSessions(signal: Int32) async throws {
    try folder.writeCall(milliseconds: 3000)
    let server = try PipedServer(in: folder)
    let client = try Command(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--pacing",
        "real-time", "--server", server.address,
      ], in: folder)
    let limit = ContinuousClock.now + .seconds(30)
    while try folder.capabilities(
      of: await Command.run(
        "anechoic", ["capabilities", "--json", "--server", server.address], in: folder
      ).output)["sessionsActive"] as? Int != 1
    { try #require(ContinuousClock.now < limit) }
    // This happens with `anechoic-server 2>&1 | tee log`, where Ctrl-C ends tee first.
    try server.closeLog()
    server.signal(signal)
    #expect(try await client.wait().status == 0)
    #expect(server.waitForExit() == 0)
    #expect(try folder.sampleCount("out.wav") == 48_000)
  }

  @Test(arguments: [["--threads", "0"], ["--max-sessions", "0"], ["--drain-time", "x"], ["--x"]])
  func wrongUsageIsReported(arguments: [String]) async throws {
    try await expectRefusal(["--listen", "127.0.0.1:0"] + arguments, status: 64)
  }

  @Test(arguments: ["127.0.0.1:0", "unix:"])
  func anAddressInUseIsReportedAndItsServerContinues(address: String) async throws {
    let address = address == "unix:" ? "unix:\(folder.path("socket"))" : address
    let server = try await ServerProcess(in: folder, listening: address)
    try await expectRefusal(
      ["--listen", server.address], status: 2,
      saying: address.hasPrefix("unix:")
        ? "another server listens on this socket" : "the address is in use")
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
    let server = try await ServerProcess(in: folder, options: ["--resume-window", "1s"])
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

  @Test func moreSessionsThanTheAnswerHoldsCauseNoCrash() async throws {
    let command = try Command(
      "anechoic-server", ["--listen", "unix:\(folder.path("s"))", "--max-sessions", "9000000000"],
      in: folder)
    _ = try await command.line(containing: "listening on ")
    let result = try await Command.run(
      "anechoic", ["capabilities", "--json", "--server", "unix:\(folder.path("s"))"], in: folder)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// Waits until the server reports this number of sessions. Nil means 0, which JSON leaves out.
  private func sessionsActive(_ server: ServerProcess, become count: Int?) async throws {
    let limit = ContinuousClock.now + .seconds(30)
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
    _ arguments: [String], status: Int32, saying words: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await Command("anechoic-server", arguments, in: folder).wait(
      atMost: .seconds(5))
    #expect(
      result.status == status && !result.wasSignalled, "\(result.errors)",
      sourceLocation: sourceLocation)
    #expect(
      status != 2 || result.errorLines.count == 1, "\(result.errors)",
      sourceLocation: sourceLocation)
    #expect(
      words.isEmpty || result.errors.contains(words), "\(result.errors)",
      sourceLocation: sourceLocation)
  }
}

/// A server whose standard output and standard error are a pipe.
private final class PipedServer {
  let address: String
  private let process = Process()
  private let log = Pipe()

  init(in folder: Folder) throws {
    address = "unix:\(folder.path("piped"))"
    process.executableURL = URL(fileURLWithPath: Command.path("anechoic-server"))
    process.arguments = ["--listen", address, "--admin-listen", "off", "--http-listen", "off"]
    process.standardOutput = log
    process.standardError = log
    try process.run()
    // From here on, only the server has the writing end of the pipe.
    try log.fileHandleForWriting.close()
    let line = String(decoding: log.fileHandleForReading.availableData, as: UTF8.self)
    try #require(line.contains("listening on"), "\(line)")
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  func closeLog() throws { try log.fileHandleForReading.close() }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Returns the exit code, or -1 if a signal ended the server.
  func waitForExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}

extension Folder {
  func capabilities(of output: Data) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
  }
}
