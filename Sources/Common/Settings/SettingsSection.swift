internal import Yams

/// A mapping in a settings file, read key by key. A flag takes precedence over an environment
/// variable, and a variable over the file.
public struct SettingsSection {
  private let file: String
  private let path: String
  private let overrides: OverrideReader?
  private let node: Node?
  private let mapping: Node.Mapping?

  /// Creates the section for a whole YAML text. Overrides apply to all sections below it, except to
  /// those in lists.
  ///
  /// - Parameters:
  ///   - text: The YAML text.
  ///   - file: The name of the file in errors.
  ///   - variable: Returns the environment variable for the path of a key.
  public init(
    reading text: String, file: String, _ overrides: SettingsOverrides,
    variable: @escaping (_ path: String) -> String
  ) throws(SettingsError) {
    try self.init(
      YAMLDocument.root(of: text, file: file), file: file,
      OverrideReader(overrides, variable: variable))
  }

  /// Throws for an environment variable with this prefix that belongs to no key. Call it when all
  /// keys have been read.
  public func checkVariables(prefix: String) throws(SettingsError) {
    try overrides?.check(prefix: prefix)
  }

  /// Creates a section. `path` is empty for the whole file. Without a node, the section is empty.
  private init(
    _ node: Node?, file: String, path: String = "", _ overrides: OverrideReader?
  ) throws(SettingsError) {
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
  public func check(_ keys: Set<String>) throws(SettingsError) {
    for node in mapping?.map(\.key) ?? [] {
      guard let key = node.scalar?.string else { throw wrong(node, "keys must be text") }
      guard keys.contains(key) else {
        throw SettingsError(
          node.place(in: file),
          "unknown key \"\(full(key))\"; use one of \(keys.sorted().joined(separator: ", "))")
      }
    }
  }

  /// Returns the value of a key, or nil if it is set nowhere. A value may be empty.
  public func value(_ key: String) throws(SettingsError) -> SettingsValue? {
    if let value = overrides?.value(full(key)) { return value }
    guard let node = mapping?[key], node.null == nil else { return nil }
    guard let text = node.scalar?.string else { throw wrong(key, "must be a single value") }
    guard !text.utf8.contains(0) else { throw wrong(key, "must not contain a NUL character") }
    return fileValue(text, node, key)
  }

  /// Returns the value of a key, and throws for an empty value.
  public func filled(_ key: String) throws(SettingsError) -> SettingsValue? {
    guard let value = try value(key) else { return nil }
    guard !value.text.isEmpty else { throw value.wrong("must not be empty") }
    return value
  }

  public func text(_ key: String) throws(SettingsError) -> String? { try filled(key)?.text }

  public func boolean(_ key: String) throws(SettingsError) -> Bool? {
    guard let value = try value(key) else { return nil }
    return try value.boolean()
  }

  public func integer(_ key: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
    guard let value = try value(key) else { return nil }
    return try value.integer(in: range)
  }

  public func choice<Choice>(_ key: String, _ choices: [(String, Choice)]) throws(SettingsError)
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
  public func list(
    _ key: String, separator: Character = ","
  ) throws(SettingsError) -> [SettingsValue] {
    if let values = overrides?.values(full(key), separator: separator) { return values }
    guard let node = mapping?[key], node.null == nil else { return [] }
    var values: [SettingsValue] = []
    for element in node.sequence.map(Array.init) ?? [node] {
      guard let text = element.scalar?.string, !text.isEmpty, !text.utf8.contains(0) else {
        throw wrong(key, "must be a list of text values")
      }
      values.append(fileValue(text, element, key))
    }
    return values
  }

  public func section(_ key: String) throws(SettingsError) -> SettingsSection {
    try SettingsSection(mapping?[key], file: file, path: full(key), overrides)
  }

  /// Returns the mappings of a list.
  public func sections(_ key: String) throws(SettingsError) -> [SettingsSection] {
    guard let node = mapping?[key], node.null == nil else { return [] }
    guard let sequence = node.sequence else {
      throw wrong(key, "must be a list")
    }
    var sections: [SettingsSection] = []
    for (index, element) in sequence.enumerated() {
      sections.append(
        try SettingsSection(
          element, file: file, path: "\(full(key)).\(index + 1)", nil))
    }
    return sections
  }

  /// Returns the mapping of a key as an object for JSONSerialization, for values that are checked
  /// elsewhere. Returns nil if the key is not set.
  public func object(_ key: String) throws(SettingsError) -> [String: Any]? {
    guard let node = mapping?[key], node.null == nil else { return nil }
    guard let object = node.object as? [String: Any] else {
      throw wrong(key, "takes keys and values")
    }
    return object
  }

  /// Returns an error for a key, at the place where the key is set, or otherwise at the place of
  /// the section.
  public func wrong(_ key: String, _ problem: String) -> SettingsError {
    if let value = overrides?.value(full(key)) { return value.wrong(problem) }
    return SettingsError(place(of: mapping?[key] ?? node, key), problem)
  }

  /// Returns an error about a field inside the value of `key`. It names the line and the whole path.
  public func wrong(_ key: String, at path: [String], _ problem: String) -> SettingsError {
    let node = path.reduce(mapping?[key]) { node, name in node?.mapping?[name] ?? node }
    return SettingsError(
      place(of: node, ([key] + path).joined(separator: ".")), problem)
  }

  /// Returns an error about the section itself, at one of its nodes.
  private func wrong(_ node: Node, _ problem: String) -> SettingsError {
    let place = node.place(in: file)
    return SettingsError(path.isEmpty ? place : "\(place): \(path)", problem)
  }

  private func place(of node: Node?, _ key: String) -> String {
    "\(node?.place(in: file) ?? file): \(full(key))"
  }

  private func fileValue(_ text: String, _ node: Node, _ key: String) -> SettingsValue {
    SettingsValue(
      text: text, place: place(of: node, key), origin: .file(node.place(in: file)))
  }

  private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
