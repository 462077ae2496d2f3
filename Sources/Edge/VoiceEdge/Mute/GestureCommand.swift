/// The command that decides a press of the mute key. Exit status 0 accepts. The variable
/// `ANECHOIC_MUTED` contains the requested state, true or false.
enum GestureCommand {
  /// Returns whether the press is accepted. Without a command, every press is accepted. A command
  /// that cannot be run, takes too long, or whose task is cancelled, accepts nothing.
  static func accepts(
    _ command: String?, muted: Bool, longestTime: Duration = ShellCommand.longestTime
  ) async -> Bool {
    guard let command else { return true }
    let variables = ["ANECHOIC_MUTED": muted ? "true" : "false"]
    return await ShellCommand.run(command, variables, longestTime: longestTime) == 0
  }
}
