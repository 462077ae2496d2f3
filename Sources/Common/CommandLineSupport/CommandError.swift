public import ArgumentParser
internal import Foundation
internal import LinuxSystem

/// A failure that a command reports in one line on standard error.
public struct CommandError: Error, CustomStringConvertible {
  /// The exit code of a command that could not do its work.
  public static let failed: Int32 = 2
  /// The exit code of a command with wrong arguments.
  public static let wrongUsage: Int32 = 64
  /// The exit code of a command that Ctrl-C stopped, as a shell counts it.
  public static let interrupted: Int32 = 130

  public let description: String
  public let code: Int32

  public init(_ description: String, code: Int32 = failed) {
    self.description = description
    self.code = code
  }

  /// Creates a failure with the name of a file and the text of `errno`.
  public init(systemErrorAt path: String) {
    self.init("\(path): \(String(cString: strerror(errno)).lowercased())")
  }
}

extension ParsableCommand {
  /// Parses the arguments, runs the command, and exits: with 0 if it succeeded, with 64 for wrong
  /// usage, and with one line on standard error and the failure's code, usually 2, for any other
  /// failure.
  public static func runToExit() async {
    // A reader that has ended, such as `tee` after Ctrl-C, must not end a server that drains.
    signal(SIGPIPE, SIG_IGN)
    // libgrpc's log would appear beside the one line.
    setenv("GRPC_VERBOSITY", "NONE", 0)
    // Dispatch logs an error when a user without privileges may not raise the priority of one of its
    // threads, which then runs with the usual one.
    setenv("LIBDISPATCH_LOG", "NO", 0)
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let failure as CommandError {
      // The journal of systemd reads and removes the priority of an error.
      standardError("\(JournalStream.error)\(_commandName): \(failure)\n")
      Foundation.exit(failure.code)
    } catch {
      if let unknown = UnknownSubcommand(in: CommandLine.arguments.dropFirst(), of: Self.self) {
        // The message of the library does not name the command that the word belongs to.
        standardError(unknown.message)
        Foundation.exit(exitCode(for: error).rawValue)
      }
      if let message = UnknownOption.corrected(fullMessage(for: error)) {
        standardError("\(message)\n")
        Foundation.exit(exitCode(for: error).rawValue)
      }
      Self.exit(withError: error)
    }
  }
}

/// Writes the text to standard error, without adding a newline. Text that cannot be written is
/// dropped.
public func standardError(_ text: String) {
  var bytes = Array(text.utf8)[...]
  while !bytes.isEmpty {
    let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return }
    bytes = bytes.dropFirst(count)
  }
}
