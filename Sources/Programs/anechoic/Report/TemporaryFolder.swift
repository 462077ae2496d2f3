internal import CommandLineSupport
internal import Foundation

/// A folder in TMPDIR that is removed at the end.
final class TemporaryFolder {
  private let url: URL

  init() throws(CommandError) {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandError("\(url.path): the folder cannot be made")
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
