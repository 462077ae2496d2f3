public import ArgumentParser
internal import Foundation

/// A failure that a command tells in one line; the process exits with `code`.
public struct CommandFailure: Error, CustomStringConvertible {
  /// What a command exits with when it could not do what it was asked to.
  public static let failed: Int32 = 2
  /// What a command exits with that was stopped by Ctrl-C, as a shell has it.
  public static let interrupted: Int32 = 130

  public let description: String
  public let code: Int32

  public init(_ description: String, code: Int32 = failed) {
    self.description = description
    self.code = code
  }

  /// What the system said last, of a file.
  public init(systemErrorAt path: String) {
    self.init("\(path): \(String(cString: strerror(errno)).lowercased())")
  }
}

extension ParsableCommand {
  /// Parses the arguments, runs the command, and exits: 0 when it is done, 64 for wrong usage, and
  /// with a line on standard error and 2 for any failure.
  public static func runToExit() async {
    // libgrpc's own log would stand beside the one line, unless it is asked for.
    setenv("GRPC_VERBOSITY", "NONE", 0)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandFailure {
      standardError("\(_commandName): \(failure)\n")
      Foundation.exit(failure.code)
    } catch {
      Self.exit(withError: error)
    }
  }
}

/// Writes to standard error as it is, without a line of its own.
public func standardError(_ text: String) {
  FileHandle.standardError.write(Data(text.utf8))
}
