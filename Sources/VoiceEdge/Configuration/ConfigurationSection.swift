internal import Yams

/// A mapping in a configuration file, read key by key. A flag takes precedence over an environment
/// variable, and a variable over the file.
struct ConfigurationSection {
  /// A value and its place.
  struct Value {
    var text: String
    var place: String

    func wrong(_ problem: String) -> ConfigurationError { ConfigurationError(place, problem) }
  }

  private let file: String
  private let path: String
  private let overrides: ConfigurationOverrides?
  private let node: Node?
  private let mapping: Node.Mapping?

  /// Creates a section. `path` is empty for the whole file. Without a node, the section is empty.
  init(
    _ node: Node?, file: String, path: String = "", _ overrides: ConfigurationOverrides?
  ) throws(ConfigurationError) {
    self.file = file
    self.path = path
    self.overrides = overrides
    self.node = node
    mapping = node?.mapping
    if let node, node.null == nil, mapping == nil {
      throw wrong(node, "must contain keys and values")
    }
  }

  /// Throws for keys that are not among these.
  func check(_ keys: Set<String>) throws(ConfigurationError) {
    for node in mapping?.map(\.key) ?? [] {
      guard let key = node.scalar?.string else { throw wrong(node, "keys must be text") }
      guard keys.contains(key) else {
        throw ConfigurationError(
          node.place(in: file),
          "unknown key \"\(full(key))\"; use one of \(keys.sorted().joined(separator: ", "))")
      }
    }
  }

  /// Returns the value of a key, or nil if it is set nowhere. A value may be empty.
  func value(_ key: String) throws(ConfigurationError) -> Value? {
    if let value = overrides?.value(full(key)) { return value }
    guard let node = mapping?[key], node.null == nil else { return nil }
    guard let text = node.scalar?.string else { throw wrong(key, "must be a single value") }
    guard !text.utf8.contains(0) else { throw wrong(key, "must not contain a NUL character") }
    return Value(text: text, place: place(of: node, key))
  }

  /// Returns the value of a key, and throws for an empty value.
  func filled(_ key: String) throws(ConfigurationError) -> Value? {
    guard let value = try value(key) else { return nil }
    guard !value.text.isEmpty else { throw value.wrong("must not be empty") }
    return value
  }

  func text(_ key: String) throws(ConfigurationError) -> String? { try filled(key)?.text }

  func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
    guard let value = try value(key) else { return nil }
    switch value.text {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default: throw value.wrong("\"\(value.text)\" must be true or false")
    }
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
    guard let value = try value(key) else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw value.wrong(
        "\"\(value.text)\" is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func choice<Choice>(_ key: String, _ choices: [(String, Choice)]) throws(ConfigurationError)
    -> Choice?
  {
    guard let value = try value(key) else { return nil }
    guard let choice = choices.first(where: { $0.0 == value.text }) else {
      let known = choices.map(\.0).joined(separator: ", ")
      throw value.wrong("\"\(value.text)\" is not supported; use one of \(known)")
    }
    return choice.1
  }

  /// Returns the values of a list. A single text is a list with one element. Flags and variables
  /// are split at commas.
  func list(_ key: String) throws(ConfigurationError) -> [Value] {
    if let value = overrides?.value(full(key)) {
      return value.text.split(separator: ",").map { Value(text: String($0), place: value.place) }
    }
    guard let node = mapping?[key], node.null == nil else { return [] }
    var values: [Value] = []
    for element in node.sequence.map(Array.init) ?? [node] {
      guard let text = element.scalar?.string, !text.isEmpty, !text.utf8.contains(0) else {
        throw wrong(key, "must be a list of text values")
      }
      values.append(Value(text: text, place: place(of: element, key)))
    }
    return values
  }

  func section(_ key: String) throws(ConfigurationError) -> ConfigurationSection {
    try ConfigurationSection(mapping?[key], file: file, path: full(key), overrides)
  }

  /// Returns the mappings of a list.
  func sections(_ key: String) throws(ConfigurationError) -> [ConfigurationSection] {
    guard let node = mapping?[key], node.null == nil else { return [] }
    guard let sequence = node.sequence else {
      throw wrong(key, "must be a list")
    }
    var sections: [ConfigurationSection] = []
    for (index, element) in sequence.enumerated() {
      sections.append(
        try ConfigurationSection(
          element, file: file, path: "\(full(key)).\(index + 1)", nil))
    }
    return sections
  }

  /// Returns the node of a key, for values that are checked elsewhere.
  func node(_ key: String) -> Node? { mapping?[key] }

  /// Returns an error for a key, at the place where the key is set, or otherwise at the place of
  /// the section.
  func wrong(_ key: String, _ problem: String) -> ConfigurationError {
    if let value = overrides?.value(full(key)) { return value.wrong(problem) }
    return ConfigurationError(place(of: mapping?[key] ?? node, key), problem)
  }

  /// Returns an error about a field inside the value of `key`. It names the line and the whole path.
  func wrong(_ key: String, at path: [String], _ problem: String) -> ConfigurationError {
    let node = path.reduce(mapping?[key]) { node, name in node?.mapping?[name] ?? node }
    return ConfigurationError(
      place(of: node, ([key] + path).joined(separator: ".")), problem)
  }

  /// The section itself is, at one of its nodes.
  private func wrong(_ node: Node, _ problem: String) -> ConfigurationError {
    let place = node.place(in: file)
    return ConfigurationError(path.isEmpty ? place : "\(place): \(path)", problem)
  }

  private func place(of node: Node?, _ key: String) -> String {
    "\(node?.place(in: file) ?? file): \(full(key))"
  }

  private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
