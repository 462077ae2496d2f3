internal import Foundation
internal import LinuxSystem

/// A file that remembers changes of other programs, so that they are undone even if the agent was killed.
struct RememberedFile<Entry: Codable & Sendable>: Sendable {
  /// The maximum size in bytes. Larger files are ignored.
  private static var longest: Int { 256 << 10 }

  private struct Contents: Codable {
    var entries: [Entry]
  }

  let path: String

  /// Creates the file at a path. Without a path, it is the user's file with a name: in `XDG_STATE_HOME`,
  /// otherwise in `~/.local/state`.
  init(
    _ path: String?, _ name: String,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    if let path {
      self.path = path
      return
    }
    let named = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let state = named ?? "\(environment["HOME"] ?? "/var/lib")/.local/state"
    self.path = "\(state)/anechoic-edge/\(name)"
  }

  /// Returns the remembered entries. None if there is no file. Throws for a file that cannot be read.
  func read() throws -> [Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let bytes = try RegularFile.read(path, atMost: Self.longest)
    return try JSONDecoder().decode(Contents.self, from: Data(bytes)).entries
  }

  /// Returns the remembered entries. None, and a line in the log, if the file cannot be read.
  func readOrIgnore(_ title: String, _ log: @Sendable (String) -> Void) -> [Entry] {
    do { return try read() } catch {
      log("\(title): \(path) is not valid and is ignored")
      return []
    }
  }

  /// Replaces the file at once. Writes a line to the log if that is not possible.
  func write(_ entries: [Entry], _ title: String, _ log: @Sendable (String) -> Void) {
    do { try write(entries) } catch { log("\(title): \(path) cannot be written") }
  }

  /// Replaces the file at once.
  func write(_ entries: [Entry]) throws {
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(Contents(entries: entries))
      .write(to: URL(filePath: path), options: .atomic)
  }
}
