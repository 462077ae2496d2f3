internal import Settings

/// The message of ArgumentParser about an option that does not exist. It suggests options with up
/// to three other letters, of which short names have no more.
enum UnknownOption {
  /// Returns a message without its suggestion if that is not near the option, otherwise nil.
  static func corrected(_ message: String) -> String? {
    var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for index in lines.indices {
      let parts = lines[index].split(separator: "'", omittingEmptySubsequences: false)
      guard parts.count == 5, parts[0].hasSuffix("Unknown option "), parts[2] == ". Did you mean "
      else { continue }
      guard !NearestName.isNear(name(parts[1]), to: name(parts[3])) else { return nil }
      lines[index] = "\(parts[0])'\(parts[1])'"
      return lines.joined(separator: "\n")
    }
    return nil
  }

  private static func name(_ option: Substring) -> String { String(option.drop { $0 == "-" }) }
}
