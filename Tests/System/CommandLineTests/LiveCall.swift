import Foundation
import Testing

/// A server with a session in real time that lasts longer than a test.
struct LiveCall {
  let server: ServerProcess
  let media: Command
  private let folder: Folder

  /// Starts the server and the session. `options` are passed to `anechoic process`.
  init(in folder: Folder, _ options: [String] = []) async throws {
    self.folder = folder
    try folder.writeCall("long.wav", "far.wav", milliseconds: 20_000)
    server = try await ServerProcess(in: folder)
    media = try Command(
      "anechoic",
      [
        "process", "--microphone", "long.wav", "--output", "voice.wav", "--pacing", "real-time",
        "--session-id", "call-1", "--events", "events.jsonl", "--client", "media", "--server",
        server.address,
      ] + options, in: folder)
    let limit = ContinuousClock.now + .seconds(10)
    while try await run("sessions", "show", "call-1").status != 0 {
      try #require(ContinuousClock.now < limit)
    }
  }

  /// Runs the command against the server.
  func run(_ arguments: String...) async throws -> Command.Result {
    try await start(arguments).wait()
  }

  /// Runs the command, expects success, and returns its lines of JSON.
  func json(_ arguments: String...) async throws -> [String: Any] {
    let result = try await start(arguments + ["--json"]).wait()
    try #require(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
    try #require(result.text.split(separator: "\n").count == 1, "\(result.text)")
    return try #require(
      JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(result.text)")
  }

  func start(_ arguments: [String]) throws -> Command {
    try Command("anechoic", arguments + ["--server", server.address], in: folder)
  }

  /// Ends the session.
  func end() async throws {
    let result = try await run("sessions", "delete", "call-1", "--client", "olga")
    try #require(result.status == 0, "\(result.errors)")
  }
}

extension [String: Any] {
  /// The value at a path of an object's members.
  subscript(_ path: String...) -> Any? {
    path.dropLast().reduce(self) { ($0[$1] as? [String: Any]) ?? [:] }[path.last ?? ""]
  }
}

extension LiveCall {
  /// Waits until the log of events contains `text`.
  func waitForEvent(_ text: String) async throws {
    let limit = ContinuousClock.now + .seconds(10)
    while try !String(decoding: folder.data("events.jsonl"), as: UTF8.self).contains(text) {
      try #require(ContinuousClock.now < limit, "no \(text)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
