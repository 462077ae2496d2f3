import Foundation
import Testing
import TestNetwork

/// Commands whose connection to the server breaks.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ResumeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test func aJobInRealTimeGoesOnAfterItsConnectionWasCut() async throws {
    try folder.writeCall(milliseconds: 4000)
    let server = try await ServerProcess(in: folder)
    let proxy = try TCPProxy(to: server.address)
    defer { proxy.stop() }
    let job = try process(at: proxy.address, to: "voice.wav")
    try await events(more: 0)
    proxy.refuse(true)
    proxy.cut()
    try await job.line(containing: "the connection was lost")
    try await Task.sleep(for: .milliseconds(300))
    proxy.refuse(false)
    try await job.line(
      containing: "the session goes on; 0 samples of the microphone were concealed")
    let result = try await job.wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.sampleCount("voice.wav") == 64_000)
    let events = try folder.jsonLines("events.jsonl")
    #expect(events.count { $0["sessionSuspended"] != nil } == 1)
    #expect(events.count { $0["sessionResumed"] != nil } == 1)
  }

  @Test func aJobStartsAnewElsewhereIfItsServerWasKilled() async throws {
    try folder.writeCall(milliseconds: 6000)
    let servers = try await [ServerProcess(in: folder), ServerProcess(in: folder)]
    let job = try process(
      at: servers[0].address, to: "voice.wav", ["--elsewhere", servers[1].address])
    try await events(more: 0)
    servers[0].command.signal(SIGKILL)
    try await job.line(containing: "sessions/job is new and starts at sample ")
    let result = try await job.wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.sampleCount("voice.wav") == 96_000)
  }

  @Test func aJobGivesUpIfNoServerReturns() async throws {
    try folder.writeCall(milliseconds: 6000)
    let server = try await ServerProcess(in: folder)
    let job = try process(at: server.address, to: "voice.wav", ["--reconnect", "1s"])
    try await events(more: 0)
    server.command.signal(SIGKILL)
    let result = try await job.wait()
    #expect(result.status == 2 && result.errorLines.count == 2, "\(result.errors)")
    #expect(result.errors.contains("the connection was lost"))
    #expect(result.errorLines.last?.contains("UNAVAILABLE") == true)
  }

  @Test(.enabled(if: Python.isThere, "scripts/bootstrap installs it"))
  func aForeignClientLosesNothing() async throws {
    try folder.writeCall(milliseconds: 60_000)
    let python = try await PythonTests.folder()
    let server = try await ServerProcess(in: folder)
    let proxy = try TCPProxy(to: server.address)
    defer { proxy.stop() }
    func job(at address: String, to output: String) throws -> Command {
      try Command(
        Python.path,
        [
          python.path("examples/python/process.py"), "--server", address, "--output", output,
          "--microphone", "microphone.wav", "--reference", "reference.wav",
        ], in: folder)
    }
    let whole = try await job(at: server.address, to: "whole.wav").wait()
    try #require(whole.status == 0, "\(whole.errors)")
    let cut = try job(at: proxy.address, to: "cut.wav")
    let limit = ContinuousClock.now + .seconds(20)
    while (try? folder.data("cut.wav").count) ?? 0 < 200_000 {
      try #require(ContinuousClock.now < limit, "the job writes nothing")
      try await Task.sleep(for: .milliseconds(5))
    }
    proxy.cut()
    let result = try await cut.wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("resumed at sample"), "\(result.text)")
    #expect(try folder.data("cut.wav") == folder.data("whole.wav"))
  }

  private func process(
    at address: String, to output: String, _ options: [String] = []
  ) throws -> Command {
    try Command(
      "anechoic",
      [
        "process", "--server", address, "--pacing", "real-time", "--session-id", "job",
        "--microphone", "microphone.wav", "--reference", "reference.wav", "--output", output,
        "--events", "events.jsonl",
      ] + options, in: folder)
  }

  /// Waits until the job has written more events than this.
  private func events(more count: Int) async throws {
    let limit = ContinuousClock.now + .seconds(10)
    while (try? folder.jsonLines("events.jsonl").count) ?? 0 <= count {
      try #require(ContinuousClock.now < limit, "the job has no events")
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
