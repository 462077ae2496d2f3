internal import Foundation

/// A shell command of the configuration, which runs for a few seconds at most.
enum ShellCommand {
  /// The time limit of a command. After it, the command and all its children are killed.
  static let longestTime = Duration.seconds(5)

  /// Runs a command with additional environment variables.
  ///
  /// - Returns: The exit status. Nil for a command that cannot be run, that was killed, or whose task
  ///   is cancelled.
  static func run(
    _ command: String, _ variables: [String: String], longestTime: Duration = longestTime
  ) async -> Int32? {
    guard let process = spawn(command, variables) else { return nil }
    return await exitStatus(of: process, within: longestTime)
  }

  /// Starts the command in a process group of its own. Returns nil if that fails.
  private static func spawn(_ command: String, _ added: [String: String]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF))
    posix_spawnattr_setpgroup(&attributes, 0)
    // The agent ignores these signals, and children inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGTERM, SIGINT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let variables = ProcessInfo.processInfo.environment.merging(
      added, uniquingKeysWith: { $1 })
    var arguments: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command].map {
      (text: String) in strdup(text)
    }
    arguments.append(nil)
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") }
    environment.append(nil)
    defer { (arguments + environment).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &environment)
    return code == 0 ? process : nil
  }

  /// Returns the exit status, or nil for a command that was killed.
  private static func exitStatus(of process: pid_t, within time: Duration) async -> Int32? {
    let end = ContinuousClock.now + time
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status & 0x7f == 0 ? (status >> 8) & 0xff : nil }
      let isCancelled = (try? await Task.sleep(for: .milliseconds(5))) == nil
      guard ended == 0, !isCancelled, ContinuousClock.now < end else {
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        return nil
      }
    }
  }
}
