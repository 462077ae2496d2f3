internal import Yams

/// A mapping in a settings file, read key by key. A flag takes precedence over an environment
/// variable, and a variable over the file.
public struct SettingsSection {
  private let reading: SettingsReading
  private let path: String
  /// Whether flags and variables count. They do not in the elements of lists.
  private let isOverridable: Bool
  private let node: Node?
  private let mapping: Node.Mapping?

  /// Creates the section for a whole YAML text without overrides.
  ///
  /// - Parameters:
  ///   - text: The YAML text.
  ///   - file: The name of the file in errors.
  ///   - formerKey: Returns the name that a key had in the version before, which may be the present
  ///     one.
  public init(
    reading text: String, file: String, formerKey: @escaping (_ key: String) -> String = { $0 }
  ) throws(SettingsError) {
    try self.init(text, SettingsReading(file: file, formerKey: formerKey))
  }

  /// Creates the section for a whole YAML text.
  init(_ text: String, _ reading: SettingsReading) throws(SettingsError) {
    try self.init(YAMLDocument.root(of: text, file: reading.file), reading)
  }

  /// Creates a section. `path` is empty for the whole file. Without a node, the section is empty.
  private init(
    _ node: Node?, _ reading: SettingsReading, path: String = "", isOverridable: Bool = true
  ) throws(SettingsError) {
    self.reading = reading
    self.path = path
    self.isOverridable = isOverridable
    self.node = node
    mapping = node?.mapping
    if let node, node.null == nil, mapping == nil {
      throw wrong(node, "must contain keys and values")
    }
  }

  /// The former names that were used so far, a line for each. `check` finds them.
  public var warnings: [String] { reading.warnings }

  /// Throws for keys that are not among these, and for a key whose former name is set too.
  public func check(_ keys: Set<String>) throws(SettingsError) {
    for node in mapping?.map(\.key) ?? [] {
      guard let key = node.scalar?.string else { throw wrong(node, "keys must be text") }
      guard !keys.contains(key) else { continue }
      let place = node.place(in: reading.file)
      guard let name = keys.first(where: { reading.formerName(of: $0) == key }) else {
        throw SettingsError(
          place, "unknown key \"\(full(key))\"; \(hint(for: key, among: keys.sorted()))")
      }
      let former = "\(place): \(full(key))"
      guard mapping?[name] == nil else {
        throw SettingsError(
          former, "is the former name of \(full(name)), which is set too; remove \(full(key))")
      }
      reading.warn(former, full(key), isNow: full(name))
    }
  }

  private func hint(for key: String, among keys: [String]) -> String {
    // First the keys of the section, which are more likely.
    if let nearest = NearestName.of(full(key), among: keys.map { full($0) } + reading.paths) {
      return "did you mean \(nearest)?"
    }
    return "use one of \(keys.joined(separator: ", "))"
  }

  /// Returns the value of a key, or nil if it is set nowhere. A value may be empty.
  public func value(_ key: String) throws(SettingsError) -> SettingsValue? {
    if let value = override(key) { return value }
    guard let node = node(of: key), node.null == nil else { return nil }
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

  /// Returns the values of a list. A single text is a list with one element. Variables are split at
  /// the separator.
  public func list(
    _ key: String, separator: Character = ","
  ) throws(SettingsError) -> [SettingsValue] {
    if isOverridable, let values = reading.values(full(key), separator: separator) {
      return values
    }
    guard let node = node(of: key), node.null == nil else { return [] }
    var values: [SettingsValue] = []
    for element in node.sequence.map(Array.init) ?? [node] {
      guard let text = element.scalar?.string, !text.utf8.contains(0) else {
        throw wrong(key, "must be a list of text values")
      }
      guard !text.isEmpty else {
        throw wrong(key, "has an empty text; remove the element, or use [] for an empty list")
      }
      values.append(fileValue(text, element, key))
    }
    return values
  }

  public func section(_ key: String) throws(SettingsError) -> SettingsSection {
    try SettingsSection(node(of: key), reading, path: full(key), isOverridable: isOverridable)
  }

  /// Returns the mappings of a list.
  public func sections(_ key: String) throws(SettingsError) -> [SettingsSection] {
    guard let node = node(of: key), node.null == nil else { return [] }
    guard let sequence = node.sequence else { throw wrong(key, "must be a list") }
    var sections: [SettingsSection] = []
    for (index, element) in sequence.enumerated() {
      sections.append(
        try SettingsSection(
          element, reading, path: "\(full(key)).\(index + 1)", isOverridable: false))
    }
    return sections
  }

  /// Returns the mapping of a key as an object for JSONSerialization, for values that are checked
  /// elsewhere. Returns nil if the key is not set.
  public func object(_ key: String) throws(SettingsError) -> [String: Any]? {
    guard let node = node(of: key), node.null == nil else { return nil }
    guard let object = node.object as? [String: Any] else {
      throw wrong(key, "takes keys and values")
    }
    return object
  }

  /// Returns the place of a key without its value, or nil if the file does not contain the key.
  func mark(_ key: String) -> SettingsValue? {
    guard let node = node(of: key), node.null == nil else { return nil }
    return fileValue("", node, key)
  }

  /// Returns an error for a key, at the place where the key is set, or otherwise at the place of
  /// the section.
  public func wrong(_ key: String, _ problem: String) -> SettingsError {
    override(key)?.wrong(problem) ?? SettingsError(place(of: node(of: key) ?? node, key), problem)
  }

  /// Returns an error about a field inside the value of `key`. It names the line and the whole
  /// path.
  public func wrong(_ key: String, at path: [String], _ problem: String) -> SettingsError {
    let node = path.reduce(node(of: key)) { node, name in node?.mapping?[name] ?? node }
    return SettingsError(
      place(of: node, ([key] + path).joined(separator: ".")), problem)
  }

  /// The place of the section, if it is an element of a list.
  var element: String? {
    isOverridable ? nil : "\(node?.place(in: reading.file) ?? reading.file): \(path)"
  }

  /// Returns an error about the section itself, at one of its nodes.
  private func wrong(_ node: Node, _ problem: String) -> SettingsError {
    let place = node.place(in: reading.file)
    return SettingsError(path.isEmpty ? place : "\(place): \(path)", problem)
  }

  /// Returns the node of a key, which may have its former name in the file.
  private func node(of key: String) -> Node? {
    mapping?[key] ?? reading.formerName(of: key).flatMap { mapping?[$0] }
  }

  private func override(_ key: String) -> SettingsValue? {
    isOverridable ? reading.value(full(key)) : nil
  }

  private func place(of node: Node?, _ key: String) -> String {
    "\(node?.place(in: reading.file) ?? reading.file): \(full(key))"
  }

  private func fileValue(_ text: String, _ node: Node, _ key: String) -> SettingsValue {
    SettingsValue(
      text: text, place: place(of: node, key), origin: .file(node.place(in: reading.file)))
  }

  private func full(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
