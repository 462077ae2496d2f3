/// A setting of a program: its key, flag and variable, and the property that holds its value.
public struct Setting<Values: Sendable>: Sendable {
  /// Whether a running program can take a new value.
  public enum Reload: String, Sendable {
    /// The program takes the value when it reloads its settings.
    case live = "yes"
    /// The program takes the value when it starts again.
    case restart = "no"
  }

  /// The section of the file that contains the key. Empty for a key outside of sections.
  public let section: String
  public let key: String
  /// The flag, without dashes. The variable is the program's prefix and the flag in upper case.
  /// Nil for a setting that only a file can contain.
  public let flag: String?
  /// Whether the file can contain the key. Otherwise only the flag and the variable set it.
  public let isInFile: Bool
  /// The meaning, as a sentence without a period.
  public let help: String
  /// The default in words, for a default that cannot be written.
  let unset: String?
  public let shape: SettingShape
  /// The values that are allowed, in words.
  public let allowed: String
  public let reload: Reload
  let elements: ElementDocuments?
  let read: @Sendable (SettingsSection, inout LayeredValues<Values>) throws(SettingsError) -> Void
  let copy: @Sendable (_ from: Values, _ to: inout Values) -> Void
  private let text: @Sendable (Values) -> [String]

  /// Creates a setting.
  ///
  /// - Parameters:
  ///   - path: The section and the key, such as `limits.max_sessions`, or only the key.
  ///   - flag: The flag without dashes. By default the key with hyphens.
  ///   - isInFile: Whether the file can contain the key.
  ///   - property: The property that holds the value.
  ///   - format: The form of the values.
  ///   - reload: Whether a running program can take a new value.
  ///   - help: The meaning, as a sentence without a period.
  ///   - unset: The default in words, for a default that cannot be written.
  public init<Value>(
    _ path: String, flag: String? = nil, isInFile: Bool = true,
    _ property: any WritableKeyPath<Values, Value> & Sendable,
    _ format: SettingFormat<Value>, _ reload: Reload, _ help: String, unset: String? = nil
  ) {
    let parts = path.split(separator: ".", maxSplits: 1).map { String($0) }
    precondition(!parts.isEmpty, "a setting has a key")
    let (section, key) = (parts.count > 1 ? parts[0] : "", parts[parts.count - 1])
    (self.section, self.key) = (section, key)
    self.flag = format.shape.isStructure ? nil : flag ?? key.replacing("_", with: "-")
    self.isInFile = isInFile
    self.help = help
    self.unset = unset
    self.reload = reload
    shape = format.shape
    allowed = format.allowed
    elements = format.elements
    read = { source, result throws(SettingsError) in
      guard let (value, places) = try format.read(source, key) else { return }
      result.values[keyPath: property] = value
      result.places[path] = places
    }
    copy = { $1[keyPath: property] = $0[keyPath: property] }
    text = { format.show($0[keyPath: property]) }
  }

  /// Creates a setting whose new values need a restart.
  public init<Value>(
    _ path: String, flag: String? = nil, isInFile: Bool = true,
    _ property: any WritableKeyPath<Values, Value> & Sendable,
    _ format: SettingFormat<Value>, _ help: String, unset: String? = nil
  ) {
    self.init(
      path, flag: flag, isInFile: isInFile, property, format, .restart, help, unset: unset)
  }

  /// The path of the key, such as `limits.max_sessions`.
  public var path: String { section.isEmpty ? key : "\(section).\(key)" }

  /// The meaning and the values that are allowed, without a period.
  public var description: String {
    let isOnePhrase = !help.contains(". ") && !help.contains(": ")
    return isOnePhrase ? "\(help): \(allowed)" : "\(help). Values: \(allowed)"
  }

  /// Returns the value as text, with separators between the elements of a list.
  public func value(in values: Values) -> String {
    switch shape {
    case .list(_, let separator): text(values).joined(separator: String(separator))
    case .structure: text(values).joined(separator: ", ")
    case .toggle, .value: text(values).joined()
    }
  }

  /// Returns the value as YAML, or an empty text for a value that cannot be written.
  func yaml(in values: Values) -> String {
    let texts = text(values)
    switch shape {
    case .structure: return elements == nil ? texts.joined() : "[\(texts.joined(separator: ", "))]"
    case .toggle, .value: return texts.first.map { Self.quoted($0) } ?? ""
    case .list:
      let elements = texts.map { Self.quoted($0) }
      return elements.count == 1 ? elements[0] : "[\(elements.joined(separator: ", "))]"
    }
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "./:_-".contains($0) }
    if isPlain { return text }
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }

  /// Returns the default in words.
  public func defaultText(in defaults: Values) -> String {
    let value = value(in: defaults)
    return value.isEmpty ? unset ?? "none" : value
  }
}
