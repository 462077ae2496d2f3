/// The form of a setting's values: how they are read, shown and described.
public struct SettingFormat<Value: Sendable & Equatable>: Sendable {
  /// The number of values and the form of the flag.
  public let shape: SettingShape
  /// The values that are allowed, in words.
  public let allowed: String
  /// Returns the value of a key and its places, or nil if it is set nowhere.
  let read:
    @Sendable (SettingsSection, _ key: String) throws(SettingsError) -> (
      Value, places: [SettingsValue]
    )?
  /// Returns the texts of a value. No text stands for a value that cannot be written.
  let show: @Sendable (Value) -> [String]
  /// The keys of each element, if the value is a list of mappings.
  let elements: ElementDocuments?

  init(
    _ shape: SettingShape, allowed: String, elements: ElementDocuments? = nil,
    reading read:
      @escaping @Sendable (SettingsSection, _ key: String) throws(SettingsError) -> (
        Value, places: [SettingsValue]
      )?,
    show: @escaping @Sendable (Value) -> [String]
  ) {
    self.shape = shape
    self.allowed = allowed
    self.elements = elements
    self.read = read
    self.show = show
  }

  init(
    _ shape: SettingShape, allowed: String,
    read: @escaping @Sendable ([SettingsValue]) throws(SettingsError) -> Value,
    show: @escaping @Sendable (Value) -> [String]
  ) {
    self.init(shape, allowed: allowed) { section, key throws(SettingsError) in
      let values: [SettingsValue]
      if case .list(_, let separator) = shape {
        values = try section.list(key, separator: separator)
      } else {
        values = try section.value(key).map { [$0] } ?? []
      }
      guard !values.isEmpty else { return nil }
      return (try read(shape.namesFiles ? values.map(\.inHome) : values), places: values)
    } show: {
      show($0)
    }
  }

  /// Creates the format of a single value.
  ///
  /// - Parameters:
  ///   - placeholder: The word for the value in the help.
  ///   - allowed: The values that are allowed, as in `use 1 or 2`.
  ///   - parse: Returns the value of a text, or nil if the text is not allowed.
  ///   - show: Returns the text of a value.
  public init(
    _ placeholder: String, allowed: String, parse: @escaping @Sendable (String) -> Value?,
    show: @escaping @Sendable (Value) -> String
  ) {
    self.init(placeholder, allowed: allowed) { value throws(SettingsError) in
      guard let result = parse(value.text) else {
        throw value.wrong("\"\(value.text)\" is not allowed; use \(allowed)")
      }
      return result
    } show: {
      show($0)
    }
  }

  /// Creates the format of a single value whose errors say what is wrong.
  ///
  /// - Parameters:
  ///   - read: Returns the value of a text and its place.
  ///   - show: Returns the text of a value, or nil for a value that cannot be written.
  public init(
    _ placeholder: String, allowed: String,
    reading read: @escaping @Sendable (SettingsValue) throws(SettingsError) -> Value,
    show: @escaping @Sendable (Value) -> String?
  ) {
    self.init(.value(placeholder), allowed: allowed) { values throws(SettingsError) in
      // A single value always has one element.
      try read(values[0])
    } show: {
      show($0).map { [$0] } ?? []
    }
  }
}

/// The number of values of a setting and the form of its flag.
public enum SettingShape: Sendable, Equatable {
  /// `--name` and `--no-name`.
  case toggle
  /// `--name value`, with the word for the value in the help.
  case value(_ placeholder: String)
  /// A value that may be repeated. In a variable, the separator stands between the values.
  case list(_ placeholder: String, separator: Character = ",")
  /// Keys and values, or a list of them. Without flag and variable.
  case structure

  /// The path of a file.
  public static let file = SettingShape.value("file")

  /// Whether the values are paths, or may contain one after a colon.
  var namesFiles: Bool {
    switch self {
    case .value(let placeholder), .list(let placeholder, _):
      ["path", "file", "folder", "place", "device", "address"].contains(placeholder)
    case .toggle, .structure: false
    }
  }

  var isStructure: Bool { self == .structure }
}
