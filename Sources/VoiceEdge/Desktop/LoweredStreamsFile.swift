internal import Foundation

/// The file that remembers lowered streams, so that they are restored even if the agent was killed.
struct LoweredStreamsFile: Sendable {
  /// The maximum size in bytes. Larger files are ignored.
  private static let longest = 256 << 10

  private struct Contents: Codable {
    var streams: [LoweredStreams.Entry]
  }

  let path: String

  /// The file of a user: in `XDG_STATE_HOME`, otherwise in `~/.local/state`.
  static func defaultPath(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String {
    let named = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let state = named ?? "\(environment["HOME"] ?? "/var/lib")/.local/state"
    return "\(state)/anechoic-edge/lowered-streams.json"
  }

  /// Returns the remembered streams. None if there is no file. Throws for a file that cannot be read.
  func read() throws -> [LoweredStreams.Entry] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let file = FileHandle(forReadingAtPath: path),
      let bytes = try file.read(upToCount: Self.longest + 1), bytes.count <= Self.longest
    else { throw CocoaError(.fileReadUnknown) }
    return try JSONDecoder().decode(Contents.self, from: bytes).streams
  }

  /// Replaces the file at once.
  func write(_ streams: [LoweredStreams.Entry]) throws {
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try JSONEncoder().encode(Contents(streams: streams))
      .write(to: URL(filePath: path), options: .atomic)
  }
}
