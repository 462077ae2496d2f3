import Foundation
import Testing

/// The metrics, the log and the audit log of `anechoic-server`.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MonitoringTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(.enabled(if: Python.isThere, "scripts/bootstrap installs it"))
  func prometheusReadsTheMetricsOfAServerWithASession() async throws {
    try folder.writeCall(milliseconds: 3000)
    let server = try await monitoredServer()
    let client = try await anechoic(server)
    #expect(client.status == 0, "\(client.errors)")
    let result = try await scrape(
      server,
      [
        "anechoic_frames_processed_total", "anechoic_frame_processing_seconds_count",
        "anechoic_session_capacity", "anechoic_erle_db_count", "process_open_fds",
      ])
    let values = Dictionary(
      uniqueKeysWithValues: result.text.split(separator: "\n").map { line in
        let parts = line.split(separator: " ")
        return (String(parts[0]), Double(parts[1]) ?? .nan)
      })
    #expect(values["anechoic_frames_processed_total"] == 300)
    #expect(values["anechoic_session_capacity"] == 1000)
    #expect((values["process_open_fds"] ?? 0) > 5)
  }

  @Test func anAddressThatIsGivenAndTakenEndsTheStart() async throws {
    let first = try await monitoredServer()
    let taken = first.url.dropFirst("http://".count).prefix { $0 != "/" }
    let second = try await Command(
      "anechoic-server", ["--listen", "127.0.0.1:0", "--http-listen", "\(taken)"], in: folder
    ).wait(atMost: .seconds(10))
    #expect(second.status == 2 && second.errorLines.count == 1, "\(second.errors)")
    #expect(second.errors.contains("cannot listen on \(taken): the address is in use"))
  }

  @Test(arguments: ["nonsense", "127.0.0.1", "unix:/tmp/x"])
  func anInvalidAddressIsWrongUsage(address: String) async throws {
    let result = try await Command(
      "anechoic-server", ["--listen", "127.0.0.1:0", "--http-listen", address], in: folder
    ).wait(atMost: .seconds(10))
    #expect(result.status == 64, "\(result.errors)")
  }

  @Test func everyLineOfAJSONLogIsAnObject() async throws {
    try folder.writeCall(milliseconds: 200)
    let server = try Command(
      "anechoic-server",
      ["--listen", "127.0.0.1:0", "--http-listen", "off", "--log-format", "json"], in: folder)
    let line = try await server.line(containing: "listening on ")
    let address = try #require(
      line.split(separator: "\"").first { $0.hasPrefix("listening on ") }?.split(separator: " ")
        .last)
    _ = try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "o.wav", "--server", "\(address)",
      ], in: folder)
    _ = try await server.line(containing: "session ended")
    server.signal(SIGTERM)
    let result = try await server.wait()
    #expect(result.status == 0, "\(result.errors)")
    let objects = try result.errorLines.map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
    let messages = objects.compactMap { $0["message"] as? String }
    #expect(messages.contains("session started") && messages.contains("session ended"))
    let started = objects.first { $0["message"] as? String == "started" }
    #expect(started?["log.format"] as? String == "json", "\(String(describing: started))")
    #expect(started?["limits.max_sessions"] == nil, "\(String(describing: started))")
    #expect(
      messages.last?.hasPrefix("stopping") == true || messages.contains { $0.hasPrefix("stopping") }
    )
  }

  @Test func controlActionsGoToTheAuditLogWhichIsReopened() async throws {
    try folder.writeCall(milliseconds: 20_000)
    let server = try await monitoredServer(["--audit-log", folder.path("audit.log")])
    let client = try Command(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "o.wav", "--pacing", "real-time",
        "--session-id", "watched", "--server", server.address,
      ], in: folder)
    _ = try await server.command.line(containing: "session started")
    try await mute(server)
    try await until { try folder.lines("audit.log").count == 1 }
    try FileManager.default.moveItem(
      atPath: folder.path("audit.log"), toPath: folder.path("audit.log.1"))
    server.command.signal(SIGHUP)
    try await until { FileManager.default.fileExists(atPath: folder.path("audit.log")) }
    try await mute(server)
    try await until { try folder.lines("audit.log").count == 1 }
    for name in ["audit.log", "audit.log.1"] {
      let line = try #require(try folder.lines(name).first)
      #expect(line.contains("audit=true") && line.contains("action=SetMute"), "\(line)")
      #expect(line.contains("session=watched") && line.contains("outcome=OK"), "\(line)")
    }
    client.signal(SIGINT)
    _ = try await client.wait()
  }

  @Test func aServerThatDrainsReadsItsFilesAgain() async throws {
    try folder.writeCall(milliseconds: 20_000)
    let server = try await monitoredServer(
      ["--audit-log", folder.path("audit.log"), "--drain-time", "60s"])
    let client = try Command(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "o.wav", "--pacing", "real-time",
        "--server", server.address,
      ], in: folder)
    _ = try await server.command.line(containing: "session started")
    server.command.signal(SIGTERM)
    _ = try await server.command.line(containing: "stopping")
    try FileManager.default.removeItem(atPath: folder.path("audit.log"))
    server.command.signal(SIGHUP)
    _ = try await server.command.line(containing: "settings reloaded")
    #expect(FileManager.default.fileExists(atPath: folder.path("audit.log")))
    client.signal(SIGINT)
    _ = try await client.wait()
    #expect(try await server.command.wait().status == 0)
  }

  @Test func aFullDiskLosesAuditLinesAndNothingElse() async throws {
    let server = try await monitoredServer(["--audit-log", "/dev/full"])
    let result = try await Command.run(
      "anechoic", ["sessions", "mute", "nobody", "--server", server.address], in: folder)
    #expect(result.status == 2 && result.errors.contains("no session"), "\(result.errors)")
    let metrics = try await scrape(server, ["anechoic_audit_lines_lost_total"])
    #expect(metrics.text == "anechoic_audit_lines_lost_total 1\n", "\(metrics.errors)")
    let health = try await Command.run(
      "anechoic", ["health", "--server", server.address], in: folder)
    #expect(health.status == 0)
  }

  private struct Monitored {
    let command: Command
    let address: String
    let url: String
  }

  private func monitoredServer(_ options: [String] = []) async throws -> Monitored {
    let server = try await ServerProcess(
      in: folder, options: ["--http-listen", "127.0.0.1:0"] + options)
    let line = try await server.command.line(containing: "metrics on ")
    return Monitored(
      command: server.command, address: server.address,
      url: line.split(separator: " ").last.map { String($0) } ?? "")
  }

  private func anechoic(_ server: Monitored) async throws -> Command.Result {
    try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--reference", "reference.wav", "--output",
        "o.wav", "--server", server.address,
      ], in: folder)
  }

  private func scrape(_ server: Monitored, _ names: [String]) async throws -> Command.Result {
    let script = Folder.package.appendingPathComponent("Tests/System/Monitoring/scrape.py").path
    let result = try await Command.run(Python.path, [script, server.url] + names, in: folder)
    #expect(result.status == 0, "\(result.errors)")
    return result
  }

  private func mute(_ server: Monitored) async throws {
    let result = try await Command.run(
      "anechoic", ["sessions", "mute", "watched", "--server", server.address], in: folder)
    #expect(result.status == 0, "\(result.errors)")
  }

  private func until(_ condition: () throws -> Bool) async throws {
    let limit = ContinuousClock.now + .seconds(10)
    while try !condition() {
      try #require(ContinuousClock.now < limit)
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}

extension Folder {
  /// Returns the lines of a file, or nothing if it does not exist.
  fileprivate func lines(_ name: String) throws -> [Substring] {
    guard FileManager.default.fileExists(atPath: path(name)) else { return [] }
    return String(decoding: try data(name), as: UTF8.self).split(separator: "\n")
  }
}
