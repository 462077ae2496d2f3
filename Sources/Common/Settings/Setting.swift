/// A setting of a program: its key, flag and variable, and the property that holds its value.
public struct Setting<Values: Sendable>: Sendable {
  /// Whether a running program can take a new value.
  public enum Reload: String, Sendable {
    /// The program takes the value when it reloads its settings.
    case live = "yes"
    /// The program takes the value when it starts again.
    case restart = "no"
  }

  /// The section of the file that contains the key.
  public let section: String
  public let key: String
  /// The flag, without dashes. The variable is `ANECHOIC_` and the flag in upper case.
  public let flag: String
  /// The meaning, as a sentence without a period.
  public let help: String
  public let shape: SettingShape
  /// The values that are allowed, in words.
  public let allowed: String
  public let reload: Reload
  let read: @Sendable ([SettingsValue], inout Values) throws(SettingsError) -> Void
  let copy: @Sendable (_ from: Values, _ to: inout Values) -> Void
  private let text: @Sendable (Values) -> [String]

  /// Creates a setting.
  ///
  /// - Parameters:
  ///   - path: The section and the key, such as `limits.max_sessions`.
  ///   - flag: The flag without dashes. By default the key with hyphens.
  ///   - property: The property that holds the value.
  ///   - format: The form of the values.
  ///   - help: The meaning, as a sentence without a period.
  ///   - reload: Whether a running program can take a new value.
  public init<Value>(
    _ path: String, flag: String? = nil, _ property: any WritableKeyPath<Values, Value> & Sendable,
    _ format: SettingFormat<Value>, _ reload: Reload, _ help: String
  ) {
    let parts = path.split(separator: ".", maxSplits: 1).map { String($0) }
    precondition(parts.count == 2, "a setting has a section and a key: \(path)")
    (section, key) = (parts[0], parts[1])
    self.flag = flag ?? key.replacing("_", with: "-")
    self.help = help
    self.reload = reload
    shape = format.shape
    allowed = format.allowed
    read = { values, result throws(SettingsError) in
      result[keyPath: property] = try format.read(values)
    }
    copy = { $1[keyPath: property] = $0[keyPath: property] }
    text = { format.show($0[keyPath: property]) }
  }

  /// The path of the key, such as `limits.max_sessions`.
  public var path: String { "\(section).\(key)" }

  public var variable: String {
    "ANECHOIC_\(flag.uppercased().replacing("-", with: "_"))"
  }

  /// Returns the value as text, with separators between the elements of a list.
  public func value(in values: Values) -> String {
    guard case .list(_, let separator) = shape else { return text(values).joined() }
    return text(values).joined(separator: String(separator))
  }

  /// Returns the value as YAML.
  func yaml(in values: Values) -> String {
    let texts = text(values).map { text in
      let isPlain =
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "./:_-".contains($0) }
      if isPlain { return text }
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }
    return texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]"
  }

  /// Returns the default in words.
  public func defaultText(in defaults: Values) -> String {
    let value = value(in: defaults)
    return value.isEmpty ? "none" : value
  }
}
