import Foundation
import LinuxSystem
import Testing
import TestTime

@Suite(.timeLimit(.minutes(1)))
struct RegularFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private func problem(_ path: String, atMost limit: Int = 1024) -> String? {
    do {
      _ = try RegularFile.read(path, atMost: limit)
      return nil
    } catch { return error.description }
  }

  @Test func aFileIsReadAsAWholeAlsoThroughALink() throws {
    let content = [UInt8](repeating: 7, count: 100_000)
    try Data(content).write(to: folder.appendingPathComponent("file"))
    try FileManager.default.createSymbolicLink(
      atPath: path("link"), withDestinationPath: path("file"))
    for name in ["file", "link"] {
      #expect(try RegularFile.read(path(name), atMost: 100_000) == content)
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func aByteOrderMarkIsNoPartOfTheText() throws {
    try Data([0xEF, 0xBB, 0xBF] + Array("token\r\n".utf8)).write(
      to: folder.appendingPathComponent("file"))
    #expect(try RegularFile.read(path("file"), atMost: 100) == Array("token\r\n".utf8))
    try FileManager.default.removeItem(at: folder)
  }

  @Test func aLongerFileIsRefused() throws {
    try Data(count: 1025).write(to: folder.appendingPathComponent("file"))
    #expect(problem(path("file")) == "the file is longer than 1 KiB")
    #expect(problem(path("file"), atMost: 1025) == nil)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func nothingButARegularFileIsReadAndNothingWaits() throws {
    #expect(mkfifo(path("fifo"), 0o600) == 0)
    for path in [path("fifo"), "/dev/zero", "/dev/null"] {
      #expect(problem(path) == "this is not a regular file")
    }
    #expect(problem(folder.path) == "is a directory")
    #expect(problem(path("missing")) == "no such file or directory")
    try FileManager.default.removeItem(at: folder)
  }

  /// A file that could not be read may be readable then.
  @Test func otherPermissionsMakeAnotherVersion() async throws {
    try Data("a".utf8).write(to: folder.appendingPathComponent("file"))
    let before = RegularFile.Version(of: path("file"))
    // The clock of a file system may have ticks of some milliseconds.
    try await eventually("the version is another one") {
      chmod(path("file"), 0o644) == 0 && RegularFile.Version(of: path("file")) != before
    }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func theVersionOfALinkIsThatOfItsTarget() throws {
    #expect(RegularFile.Version(of: path("link")) == nil)
    for name in ["old", "new"] {
      // Both files have the same size, and perhaps the same time.
      try Data(name.utf8).write(to: folder.appendingPathComponent(name))
      try FileManager.default.createSymbolicLink(
        atPath: path("next"), withDestinationPath: path(name))
      if name == "old" {
        try FileManager.default.moveItem(atPath: path("next"), toPath: path("data"))
        try FileManager.default.createSymbolicLink(
          atPath: path("link"), withDestinationPath: path("data"))
      }
    }
    let before = RegularFile.Version(of: path("link"))
    #expect(before != nil && before == RegularFile.Version(of: path("link")))
    try FileManager.default.removeItem(atPath: path("data"))
    try FileManager.default.moveItem(atPath: path("next"), toPath: path("data"))
    #expect(RegularFile.Version(of: path("link")) != before)
    try FileManager.default.removeItem(at: folder)
  }
}
