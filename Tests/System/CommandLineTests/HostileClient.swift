import Foundation
import Testing

/// A client in Python that sends what no honest client sends.
struct HostileClient {
  /// The start of every script. `address` and `pid` belong to the server. `peak()` returns the
  /// largest memory of the server in MiB so far. `thread_count()` returns the number of its
  /// threads.
  private static let prelude = """
    import collections, os, sys, time
    from raw_client import *
    address, pid = sys.argv[1:]
    def peak():
      status = open(f"/proc/{pid}/status").read().splitlines()
      return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) >> 10
    def thread_count():
      return len(os.listdir(f"/proc/{pid}/task"))

    """

  /// Runs a script against a server of its own. Expects that all assertions of the script hold.
  static func run(
    _ script: String, server options: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = try Folder()
    let server = try await ServerProcess(in: folder, options: options)
    let clients = Folder.package.appendingPathComponent("Tests/System/HostileClients").path
    let client = try Command(
      "/usr/bin/env",
      [
        "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=\(clients)", "/usr/bin/python3", "-c",
        prelude + script, server.address, "\(server.command.identifier)",
      ], in: folder)
    let result = try await client.wait(atMost: .seconds(100))
    #expect(
      result.status == 0 && !result.wasSignalled, "\(result.text)\(result.errors)",
      sourceLocation: sourceLocation)
  }
}
