internal import Foundation

/// The command that decides a press of the mute key: exit status 0 accepts it. It is told what is asked
/// for in the variable `ANECHOIC_MUTED`, true or false.
enum GestureCommand {
  /// One that takes longer is killed, and accepts nothing.
  static let longestTime = Duration.seconds(5)

  /// Calls `decided` soon, from any thread. A command that cannot be run accepts nothing.
  static func ask(
    _ command: String?, muted: Bool, longestTime: Duration = longestTime,
    decided: @escaping @Sendable (_ accepts: Bool) -> Void
  ) {
    guard let command else { return decided(true) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["ANECHOIC_MUTED": muted ? "true" : "false"], uniquingKeysWith: { $1 })
    process.terminationHandler = { decided($0.terminationStatus == 0) }
    do { try process.run() } catch { return decided(false) }
    DispatchQueue.global().asyncAfter(deadline: .now() + longestTime / .seconds(1)) {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
  }
}
