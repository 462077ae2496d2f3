internal import Yams

/// A mapping of a configuration file, read key by key. For each value a flag counts before a variable
/// of the environment, and that before the file.
struct ConfigurationSection {
  /// What lies over the file, by the keys' paths: values, and what to call their place.
  struct Overrides: Sendable {
    var flags: [String: (value: String, flag: String)] = [:]
    var environment: [String: String] = [:]

    /// `server.address` is `ANECHOIC_EDGE_SERVER_ADDRESS`.
    static func variable(_ path: String) -> String {
      "ANECHOIC_EDGE_"
        + path.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    func value(_ path: String) -> Value? {
      if let (value, flag) = flags[path] { return Value(text: value, place: flag) }
      let variable = Self.variable(path)
      return environment[variable].map { Value(text: $0, place: variable) }
    }
  }

  /// A value, and where it stands.
  struct Value {
    var text: String
    var place: String

    func wrong(_ problem: String) -> ConfigurationError { ConfigurationError(place, problem) }
  }

  let file: String
  let path: String
  private let overrides: Overrides
  private let mapping: Node.Mapping?

  /// `path` is empty for the file as a whole; nil is an empty mapping.
  init(
    _ node: Node?, file: String, path: String, _ overrides: Overrides
  ) throws(ConfigurationError) {
    self.file = file
    self.path = path
    self.overrides = overrides
    guard let node, node.null == nil else {
      mapping = nil
      return
    }
    guard let mapping = node.mapping else {
      throw ConfigurationError(Self.place(node, file), "\(path): takes keys and values")
    }
    self.mapping = mapping
  }

  /// Refuses keys that are not among these, and such as come twice.
  func check(_ keys: Set<String>) throws(ConfigurationError) {
    var seen: Set<String> = []
    for node in mapping?.map(\.key) ?? [] {
      let key = node.scalar?.string ?? ""
      guard keys.contains(key) else {
        throw ConfigurationError(
          Self.place(node, file),
          "there is no key \"\(full(key))\" (but \(keys.sorted().joined(separator: ", ")))")
      }
      guard seen.insert(key).inserted else {
        throw ConfigurationError(Self.place(node, file), "\(full(key)): stands here twice")
      }
    }
  }

  /// Nil where it is said nowhere; empty where it is said to be.
  func value(_ key: String) throws(ConfigurationError) -> Value? {
    if let value = overrides.value(full(key)) {
      return Value(text: value.text, place: "\(value.place)")
    }
    guard let node = mapping?[key], node.null == nil else { return nil }
    guard let scalar = node.scalar else {
      throw ConfigurationError(Self.place(node, file), "\(full(key)): takes one value")
    }
    return Value(text: scalar.string, place: "\(Self.place(node, file)): \(full(key))")
  }

  func text(_ key: String) throws(ConfigurationError) -> String? { try value(key)?.text }

  func boolean(_ key: String) throws(ConfigurationError) -> Bool? {
    guard let value = try value(key) else { return nil }
    switch value.text {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default: throw value.wrong("\"\(value.text)\" is neither true nor false")
    }
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
    guard let value = try value(key) else { return nil }
    guard let number = Int(value.text), range.contains(number) else {
      throw value.wrong(
        "\"\(value.text)\" is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func choice<Choice>(_ key: String, _ choices: [(String, Choice)]) throws(ConfigurationError)
    -> Choice?
  {
    guard let value = try value(key) else { return nil }
    guard let choice = choices.first(where: { $0.0 == value.text }) else {
      let known = choices.map(\.0).joined(separator: ", ")
      throw value.wrong("\"\(value.text)\" is none of \(known)")
    }
    return choice.1
  }

  /// Of the file only; a single text is a list of one. Flags and variables are split at commas.
  func texts(_ key: String) throws(ConfigurationError) -> [String] {
    if let value = overrides.value(full(key)) {
      return value.text.split(separator: ",").map(String.init)
    }
    guard let node = mapping?[key], node.null == nil else { return [] }
    if let scalar = node.scalar { return [scalar.string] }
    let texts = node.sequence?.compactMap { $0.scalar?.string } ?? []
    guard let sequence = node.sequence, texts.count == sequence.count else {
      throw ConfigurationError(Self.place(node, file), "\(full(key)): takes a list of texts")
    }
    return texts
  }

  func section(_ key: String) throws(ConfigurationError) -> ConfigurationSection {
    try ConfigurationSection(mapping?[key], file: file, path: full(key), overrides)
  }

  /// Each of a list of mappings.
  func sections(_ key: String) throws(ConfigurationError) -> [ConfigurationSection] {
    guard let node = mapping?[key], node.null == nil else { return [] }
    guard let sequence = node.sequence else {
      throw ConfigurationError(Self.place(node, file), "\(full(key)): takes a list")
    }
    var sections: [ConfigurationSection] = []
    for (index, element) in sequence.enumerated() {
      sections.append(
        try ConfigurationSection(
          element, file: file, path: "\(full(key)).\(index + 1)", Overrides()))
    }
    return sections
  }

  /// As it stands, for what is checked elsewhere.
  func node(_ key: String) -> Node? { mapping?[key] }

  func wrong(_ key: String, _ problem: String) -> ConfigurationError {
    let node = mapping?[key]
    return ConfigurationError(
      "\(node.map { Self.place($0, file) } ?? file): \(full(key))", problem)
  }

  private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  private static func place(_ node: Node, _ file: String) -> String {
    node.mark.map { "\(file):\($0.line)" } ?? file
  }
}
