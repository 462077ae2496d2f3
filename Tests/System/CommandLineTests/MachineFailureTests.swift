import Foundation
import SoundRig
import Testing

/// Failures of the machine below a running server. docs/reference/failures.md lists the outcomes.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct MachineFailureTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func aRecorderWhoseDiskIsFullEndsAndItsSessionDoesNot() async throws {
    try folder.writeCall(milliseconds: 2000)
    let server = try await ServerProcess(in: folder, options: ["--allow-recording"])
    let recorder = try Command(
      "anechoic", ["record", "call-1", "/dev/full", "--server", server.address], in: folder)
    try await Task.sleep(for: .milliseconds(500))
    let client = try await process(server.address, "--session-id", "call-1")
    #expect(client.status == 0, "\(client.errors)")
    #expect(try folder.sampleCount("out.wav") == 32_000)
    let result = try await recorder.wait()
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("/dev/full"), "\(result.errors)")
  }

  @Test func anAuditLogThatCannotBeOpenedEndsTheStart() async throws {
    let result = try await Command.run(
      "anechoic-server", ["--listen", "127.0.0.1:0", "--audit-log", "/nowhere/audit.log"],
      in: folder)
    #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errors)")
    #expect(result.errors.contains("/nowhere/audit.log: no such file or directory"))
  }

  @Test(.enabled(if: Python.isThere, "scripts/bootstrap installs it"))
  func aServerWithoutDescriptorsServesItsSessionsAndItsOperators() async throws {
    try folder.writeCall(milliseconds: 6000)
    let script = """
      ulimit -n 64
      exec \(Command.path("anechoic-server")) --listen 127.0.0.1:0 --http-listen 127.0.0.1:0
      """
    let server = try Command("/bin/sh", ["-c", script], in: folder)
    let address = try await lastWord(of: server, "listening on ")
    let url = try await lastWord(of: server, "metrics on ")
    let client = try Command(
      "anechoic", processArguments(address, "--pacing", "real-time"), in: folder)
    try await server.line(containing: "session started")
    let port = try #require(address.split(separator: ":").last)
    let holder = """
      import socket, sys, time, urllib.request
      held = [socket.create_connection(("127.0.0.1", \(port))) for _ in range(100)]
      time.sleep(1)
      for path in ("livez", "metrics", "livez"):
        url = "\(url)".replace("metrics", path)
        print(path, urllib.request.urlopen(url, timeout=5).status, flush=True)
      time.sleep(1)
      """
    let flood = try await Command.run(Python.path, ["-c", holder], in: folder)
    #expect(flood.text == "livez 200\nmetrics 200\nlivez 200\n", "\(flood.errors)")
    let result = try await client.wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.sampleCount("out.wav") == 96_000)
    let later = try await process(address)
    #expect(later.status == 0, "\(later.errors)")
    server.signal(SIGTERM)
    #expect(try await server.wait().status == 0)
  }

  @Test(
    .enabled(if: Tools.fakeTimeLibrary() != nil, "scripts/bootstrap installs it"),
    arguments: ["+1d", "-1d"])
  func aJumpOfTheWallClockChangesNothingButTheLog(jump: String) async throws {
    try folder.writeCall(milliseconds: 4000)
    try folder.write(Data("+0\n".utf8), "time")
    let library = try #require(Tools.fakeTimeLibrary())
    let script = """
      LD_PRELOAD=\(library) FAKETIME_TIMESTAMP_FILE=\(folder.path("time")) FAKETIME_NO_CACHE=1 \\
        DONT_FAKE_MONOTONIC=1 exec \(Command.path("anechoic-server")) --listen 127.0.0.1:0 \\
        --http-listen off
      """
    let server = try Command("/bin/sh", ["-c", script], in: folder)
    let address = try await lastWord(of: server, "listening on ")
    let client = try Command(
      "anechoic",
      processArguments(address, "--pacing", "real-time", "--events", "events.jsonl"), in: folder)
    let before = try await server.line(containing: "session started")
    try await Task.sleep(for: .seconds(1))
    try folder.write(Data("\(jump)\n".utf8), "time")
    let result = try await client.wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.sampleCount("out.wav") == 64_000)
    let problems = try folder.jsonLines("events.jsonl").filter { event in
      ["discontinuity", "captureWarning", "outputDropped"].contains { event[$0] != nil }
    }
    #expect(problems.isEmpty, "\(problems)")
    let after = try await server.line(containing: "session ended")
    #expect(after.prefix(10) != before.prefix(10), "\(before) \(after)")
    let later = try await process(address)
    #expect(later.status == 0, "\(later.errors)")
    server.signal(SIGTERM)
    #expect(try await server.wait().status == 0)
  }

  private func lastWord(of server: Command, _ text: String) async throws -> String {
    try await server.line(containing: text).split(separator: " ").last.map { String($0) } ?? ""
  }

  private func processArguments(_ address: String, _ options: String...) -> [String] {
    [
      "process", "--microphone", "microphone.wav", "--reference", "reference.wav", "--output",
      "out.wav", "--server", address,
    ] + options
  }

  private func process(_ address: String, _ options: String...) async throws -> Command.Result {
    try await Command.run(
      "anechoic",
      [
        "process", "--microphone", "microphone.wav", "--output", "out.wav", "--server", address,
      ] + options, in: folder)
  }
}
