import Foundation
import Synchronization

/// The temporary folder of a test.
final class Folder: Sendable {
  let url: URL

  init() throws {
    // anechoic-edge does the same.
    signal(SIGPIPE, SIG_IGN)
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("edge-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func text(_ name: String) -> String {
    (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
  }

  func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
  }
}

/// The lines of a log.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }

  func contain(_ text: String) -> Bool { all.contains { $0.contains(text) } }
}
