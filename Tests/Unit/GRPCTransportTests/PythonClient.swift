import Foundation

/// A foreign client in a process of its own. Every line that it prints becomes a note in the
/// journal. So does its end, as "exit 0" or "signal 9".
final class PythonClient: Sendable {
  let journal = Journal()
  private let process: Process

  /// Starts a client. In `body`, `channel` is a channel to the server, `say` prints a line, and
  /// `await_go` waits for `go()`.
  init(address: String, _ body: String) throws {
    let prelude = """
      import grpc, signal, sys, time
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
      def await_go():
        signal.sigwait([signal.SIGUSR1])
      def say(*words):
        print(*words, flush=True)
      channel = grpc.insecure_channel(sys.argv[1])
      METHOD = "/anechoic.test.Service/Test"

      """
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", prelude + body, address]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // Does not use `readabilityHandler`, because its dispatch sources outlive their descriptors and
    // crash.
    Thread.detachNewThread { [journal, process] in
      let reader = output.fileHandleForReading
      var rest: [UInt8] = []
      while case let data = reader.availableData, !data.isEmpty {
        rest += data
        var pieces = rest.split(separator: 10, omittingEmptySubsequences: false)
        rest = Array(pieces.removeLast())
        for piece in pieces { journal.record(.note(String(decoding: piece, as: UTF8.self))) }
      }
      process.waitUntilExit()
      let reason = process.terminationReason == .exit ? "exit" : "signal"
      journal.record(.note("\(reason) \(process.terminationStatus)"))
    }
  }

  deinit { if process.isRunning { send(SIGKILL) } }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  func go() { send(SIGUSR1) }

  /// Waits for a line or for the end of the process.
  func wait(for note: String) async throws {
    do {
      try await journal.wait(for: .note(note), within: .seconds(40))
    } catch {
      print("the client said \(journal.entries.map(\.event))")
      throw error
    }
  }
}
