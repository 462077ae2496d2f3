import Foundation
import Synchronization
import Testing

/// A process that a test runs. It ends with the test at the latest.
final class Command {
  struct Result {
    let status: Int32
    let wasSignalled: Bool
    let output: Data
    let errors: String

    var errorLines: [Substring] { errors.split(separator: "\n") }
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The folder of the built executables. The tests are in the same folder.
  private static let products: URL = {
    let own = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
    return URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  let identifier: Int32
  private let process = Process()
  private let log: URL
  private let output: URL
  private let ends: AsyncStream<Void>
  private let hasEnded = Flag()

  /// Starts a process. `tool` is a product of this package, or a path.
  init(_ tool: String, _ arguments: [String], in folder: Folder) throws {
    let name = "\(UUID().uuidString)"
    log = folder.url.appendingPathComponent("\(name).stderr")
    output = folder.url.appendingPathComponent("\(name).stdout")
    for file in [log, output] { try Data().write(to: file) }
    process.executableURL = URL(fileURLWithPath: Self.path(tool))
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    process.standardOutput = try FileHandle(forWritingTo: output)
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ends = ends
    let hasEnded = hasEnded
    process.terminationHandler = { _ in
      hasEnded.set()
      continuation.finish()
    }
    try process.run()
    identifier = process.processIdentifier
  }

  deinit { signal(SIGKILL) }

  /// Returns the path of a product of this package. Returns a path unchanged.
  static func path(_ tool: String) -> String {
    tool.hasPrefix("/") ? tool : products.appendingPathComponent(tool).path
  }

  func signal(_ number: Int32) {
    if !hasEnded.isSet { _ = kill(identifier, number) }
  }

  /// Waits for the end of the process. Ends the process after the limit.
  func wait(atMost limit: Duration = .seconds(30)) async throws -> Result {
    let (identifier, hasEnded) = (identifier, hasEnded)
    let guardian = Task {
      try await Task.sleep(for: limit)
      if !hasEnded.isSet { _ = kill(identifier, SIGKILL) }
    }
    for await _ in ends {}
    guardian.cancel()
    return Result(
      status: process.terminationStatus,
      wasSignalled: process.terminationReason == .uncaughtSignal,
      output: try Data(contentsOf: output), errors: try String(contentsOf: log, encoding: .utf8))
  }

  /// Waits until standard error, or the output, contains a line with `text`.
  @discardableResult
  func line(containing text: String, inOutput: Bool = false) async throws -> Substring {
    let log = inOutput ? output : log
    let limit = ContinuousClock.now + .seconds(30)
    while true {
      let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
      if let line = lines.first(where: { $0.contains(text) }) { return line }
      try #require(!hasEnded.isSet && ContinuousClock.now < limit, "no \"\(text)\" in \(lines)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Runs the process to its end.
  static func run(
    _ tool: String, _ arguments: [String], in folder: Folder
  ) async throws -> Result {
    try await Command(tool, arguments, in: folder).wait()
  }
}

private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
