/// The command of the keys. It runs once for each event, one after another. Events that come while 16
/// wait are dropped.
final class KeyCommands: Sendable {
  private static let most = 16

  private let command: String
  private let log: @Sendable (String) -> Void
  private let (events, continuation) = AsyncStream.makeStream(
    of: KeyEvent.self, bufferingPolicy: .bufferingOldest(most))

  init(_ command: String, log: @escaping @Sendable (String) -> Void) {
    self.command = command
    self.log = log
  }

  func add(_ event: KeyEvent) { continuation.yield(event) }

  /// Runs the command for each event until the task is cancelled.
  func runAll() async {
    for await event in events {
      let status = await ShellCommand.run(
        command,
        [
          "ANECHOIC_KEY": event.key.rawValue,
          "ANECHOIC_PRESSED": event.isPressed ? "true" : "false",
        ])
      guard !Task.isCancelled else { return }
      switch status {
      case 0: break
      case .some(let code): log("key \(event.key.rawValue): the command ended with \(code)")
      case nil: log("key \(event.key.rawValue): the command did not run to its end")
      }
    }
  }
}
