internal import Yams

/// A YAML parser with limits, because a few bytes of YAML can expand to more than a machine's
/// memory.
enum YAMLDocument {
  private static let deepest = 16
  private static let mostNodes = 20_000
  /// The maximum number of aliases. Aliases are expanded, and compared if they are keys, before
  /// nodes can be counted.
  private static let mostAliases = 8

  /// Returns the root node, or nil for an empty text. `file` is the name of the file in errors.
  static func root(of text: String, file: String) throws(SettingsError) -> Node? {
    guard aliasCount(text) <= mostAliases else {
      throw SettingsError(file, "contains more than \(mostAliases) aliases")
    }
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw error.located(in: file)
    } catch {
      throw SettingsError(file, "\(error)")
    }
    var left = mostNodes
    if let root { try check(root, depth: 1, &left, file) }
    return root
  }

  /// Returns an upper bound of the number of aliases: asterisks before a character that a name can
  /// begin with, except in lines that are comments.
  private static func aliasCount(_ text: String) -> Int {
    text.utf8.split(separator: UInt8(ascii: "\n")).reduce(0) { sum, line in
      guard line.first(where: { $0 != UInt8(ascii: " ") }) != UInt8(ascii: "#") else { return sum }
      return sum
        + zip(line, line.dropFirst()).count { star, next in
          star == UInt8(ascii: "*") && next != UInt8(ascii: " ") && next != star
        }
    }
  }

  private static func check(
    _ node: Node, depth: Int, _ left: inout Int, _ file: String
  ) throws(SettingsError) {
    left -= 1
    guard left >= 0 else {
      throw SettingsError(file, "contains more than \(mostNodes) values")
    }
    guard depth <= deepest else {
      throw SettingsError(node.place(in: file), "is nested more than \(deepest) levels deep")
    }
    for pair in node.mapping.map(Array.init) ?? [] {
      try check(pair.key, depth: depth + 1, &left, file)
      try check(pair.value, depth: depth + 1, &left, file)
    }
    for element in node.sequence.map(Array.init) ?? [] {
      try check(element, depth: depth + 1, &left, file)
    }
  }
}

extension Node {
  /// Returns the place of the node: the file and the line.
  func place(in file: String) -> String { mark.map { "\(file):\($0.line)" } ?? file }

  /// The node as an object for JSONSerialization.
  var object: Any {
    switch self {
    case .mapping(let mapping):
      var object: [String: Any] = [:]
      for (key, value) in mapping { object[key.string ?? ""] = value.object }
      return object
    case .sequence(let sequence): return sequence.map(\.object)
    case .scalar(let scalar):
      guard scalar.style == .plain else { return scalar.string }
      if let number = Int(scalar.string) { return number }
      if let number = Double(scalar.string), number.isFinite { return number }
      return bool ?? scalar.string
    case .alias: return ""
    }
  }
}

extension YamlError {
  /// Returns the error with its line, if it has one.
  fileprivate func located(in file: String) -> SettingsError {
    switch self {
    case .scanner(let context, let problem, let mark, let yaml),
      .parser(let context, let problem, let mark, let yaml),
      .composer(let context, let problem, let mark, let yaml):
      if let context, let opened = Self.unclosed(context, problem) {
        return SettingsError(Self.place(context.mark, in: file), opened)
      }
      if problem.contains("tab character") || Self.isTab(at: mark, of: yaml) {
        return SettingsError(
          Self.place(mark, in: file), "a tab is not allowed here; indent with spaces")
      }
      return SettingsError(Self.place(mark, in: file), Self.words(problem))
    case .reader(let problem, let offset, _, let yaml):
      let line = 1 + yaml.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") }
      return SettingsError("\(file):\(line)", problem)
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      return SettingsError("\(file):\(context.mark.line)", "\(names) appears twice")
    default: return SettingsError(file, "\(self)")
    }
  }

  private static func place(_ mark: Mark, in file: String) -> String {
    "\(file):\(mark.line):\(mark.column)"
  }

  /// Returns what is open at `context`, or nil. libyaml places such an error where it noticed it, which
  /// is often the end of the file.
  private static func unclosed(_ context: Context, _ problem: String) -> String? {
    switch context.text {
    case "while scanning a quoted scalar" where problem.contains("end of stream"):
      "the quotation mark is never closed"
    case "while parsing a flow mapping": "the { is never closed, or a comma is missing after it"
    case "while parsing a flow sequence": "the [ is never closed, or a comma is missing after it"
    default: nil
    }
  }

  private static func isTab(at mark: Mark, of yaml: String) -> Bool {
    let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(mark.line - 1) else { return false }
    return lines[mark.line - 1].dropFirst(mark.column - 1).first == "\t"
  }

  /// Returns a text of libyaml in the words of our messages, as far as users meet it.
  private static func words(_ problem: String) -> String {
    switch problem {
    case let text where text.hasPrefix("Maximum nesting level"): "is nested too deeply"
    case "but found another document": "contains a second document after ---"
    case "did not find expected node content": "a value is missing or has an unexpected sign"
    default: problem
    }
  }
}
