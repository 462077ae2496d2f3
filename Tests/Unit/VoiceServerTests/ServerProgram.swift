import Foundation
import Testing
import TestTime

/// A process that runs `anechoic-server`. It ends with the test at the latest.
final class ServerProgram {
  let server: TestServer
  /// The id of the process.
  let identifier: Int32
  private let process = Process()
  private let log = Pipe()

  /// The program, which is built beside the tests.
  static var executable: URL {
    let tests = URL(
      fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments.first ?? "")
    return tests.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("anechoic-server")
  }

  /// Starts the program and waits until it listens.
  init(_ options: [String]) throws {
    process.executableURL = Self.executable
    process.arguments = ["--listen", "127.0.0.1:0"] + options
    process.standardError = log
    try process.run()
    identifier = process.processIdentifier
    let marker = "listening on "
    let lines = log.fileHandleForReading
    var text = ""
    while !text.contains(marker) || !text.hasSuffix("\n") {
      let data = lines.availableData
      try #require(!data.isEmpty, "the server has ended: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
    let rest = try #require(text.components(separatedBy: marker).last)
    let address = rest.prefix { !$0.isWhitespace && $0 != "\"" && $0 != "," }
    server = TestServer(address: String(address))
    // An unread pipe would hold the server back.
    lines.readabilityHandler = { _ = $0.availableData }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  func signal(_ number: Int32) { _ = kill(identifier, number) }

  /// Waits for the end, for 30 s at most. Returns the exit code, or nil if a signal ended the program.
  func exitCode() async throws -> Int32? {
    try await eventually("the server ends") { !process.isRunning }
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
