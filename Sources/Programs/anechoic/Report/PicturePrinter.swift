internal import CommandLineSupport
internal import Foundation

/// The converter from SVG to PNG: rsvg-convert of librsvg, as a process of its own. The command works
/// without it, because only pictures need it.
struct PicturePrinter {
  private static let program = "rsvg-convert"

  private let path: String

  /// Throws if the program is not installed.
  init() throws(CommandError) {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let found = folders.split(separator: ":").map { "\($0)/\(Self.program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else {
      throw CommandError(
        "--png needs \(Self.program), which is not installed; install librsvg2-bin")
    }
    path = found
  }

  /// Writes a picture to a file. `folder` keeps its source for the program.
  func print(_ svg: String, to output: String, _ folder: TemporaryFolder) throws {
    let source = folder.path("report.svg")
    try Data(svg.utf8).write(to: URL(fileURLWithPath: source))
    let errors = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["--unlimited", "--format", "png", "--output", output, source]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    do { try process.run() } catch { throw CommandError("\(path): cannot be run") }
    let text = String(
      decoding: (try? errors.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let line = text.split(whereSeparator: \.isNewline).first ?? "the picture cannot be drawn"
      throw CommandError("\(Self.program): \(line)")
    }
  }
}
