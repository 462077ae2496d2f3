public import Foundation

/// Scripts that prepare the files of a test.
public enum ShellScript {
  public struct ScriptError: Error {
    public let output: String
  }

  /// Runs a script of bash in a folder. Throws its standard error if it fails.
  public static func run(_ script: String, in folder: URL) async throws {
    let log = folder.appendingPathComponent("log")
    try Data().write(to: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    let (end, continuation) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
    for await _ in end {}
    guard process.terminationStatus == 0 else {
      throw ScriptError(output: try String(contentsOf: log, encoding: .utf8))
    }
  }
}
