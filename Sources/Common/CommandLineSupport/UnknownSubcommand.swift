internal import ArgumentParser

/// A word on a command line that is not a subcommand of the command before it.
struct UnknownSubcommand {
  private let word: String
  /// The names of the root command and of the subcommands before the word.
  private let path: [String]
  /// The names of the subcommands that are allowed in place of the word.
  private let allowed: [String]
  /// The path of a subcommand elsewhere that has the word as its name, otherwise nil.
  private let other: [String]?

  /// Finds the word. Returns nil if every argument before the first option is a subcommand, or an
  /// argument of a command without subcommands.
  init?(in arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    var command = root
    var path = [root._commandName]
    for argument in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      guard let next = subcommands.first(where: { $0._commandName == argument }) else {
        word = argument
        self.path = path
        allowed = subcommands.map { $0._commandName }
        other = Self.path(of: argument, below: root)
        return
      }
      command = next
      path.append(argument)
    }
    return nil
  }

  /// The fault and the usage, in the form of the messages of ArgumentParser.
  var message: String {
    let command = path.joined(separator: " ")
    return """
      Error: \(description)
      Usage: \(command) <subcommand>
        See '\(command) --help' for more information.

      """
  }

  /// The fault, and the command to use.
  var description: String {
    let right =
      other.map { "'\($0.joined(separator: " "))'" }
      ?? [allowed.dropLast().joined(separator: ", "), allowed.last ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " or ")
    return "'\(word)' is not a subcommand of '\(path.joined(separator: " "))'; use \(right)"
  }

  private static func path(of name: String, below command: any ParsableCommand.Type) -> [String]? {
    for subcommand in command.configuration.subcommands {
      if subcommand._commandName == name { return [command._commandName, name] }
      if let rest = path(of: name, below: subcommand) { return [command._commandName] + rest }
    }
    return nil
  }
}
