internal import Foundation
internal import Synchronization
internal import VoiceClient

/// Watchers of one session, all in this process, a hundred on each connection.
enum Watchers {
  private static let perConnection = 100

  /// Runs the watchers. Prints "watching" when all have got their snapshot, and the number of
  /// events that they got when the standard input ends.
  static func run(_ address: String, _ session: String, _ count: Int) async throws {
    let clients = (0...(count / perConnection)).map { _ in
      SessionsClient(server: address, clientName: "watcher")
    }
    let events = EventCount()
    var streams: [WatchStream] = []
    for index in 0..<count {
      let stream = try await clients[index / perConnection].watch(session)
      _ = try await stream.receive()
      streams.append(stream)
      Task { while try await stream.receive() != nil { events.add() } }
    }
    print("watching")
    fflush(nil)
    _ = try FileHandle.standardInput.readToEnd()
    print(events.value)
    for stream in streams { stream.cancel() }
  }
}

private final class EventCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
}

/// A process of this program that runs the watchers of a session.
final class WatcherProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the process. Returns when all watchers watch.
  init(_ arguments: [String], session: String) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = Array(arguments.dropFirst())
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["WATCHED_SESSION": session]
    ) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
  }

  /// Ends the watchers. Returns the number of events that they got together.
  func end() -> Int {
    try? input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }
}
