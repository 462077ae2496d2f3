/// The form of a setting's values: how they are read, shown and described.
public struct SettingFormat<Value: Sendable & Equatable>: Sendable {
  /// The number of values and the form of the flag.
  public var shape: SettingShape
  /// The values that are allowed, in words.
  public var allowed: String
  let read: @Sendable ([SettingsValue]) throws(SettingsError) -> Value
  let show: @Sendable (Value) -> [String]

  private init(
    _ shape: SettingShape, allowed: String,
    read: @escaping @Sendable ([SettingsValue]) throws(SettingsError) -> Value,
    show: @escaping @Sendable (Value) -> [String]
  ) {
    self.shape = shape
    self.allowed = allowed
    self.read = read
    self.show = show
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
    self.init(.value(placeholder), allowed: allowed) { values throws(SettingsError) in
      // A single value always has one element.
      let value = values[0]
      guard let result = parse(value.text) else {
        throw value.wrong("\"\(value.text)\" is not allowed; use \(allowed)")
      }
      return result
    } show: {
      [show($0)]
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
}

extension SettingFormat<Bool> {
  public static var boolean: Self {
    SettingFormat(.toggle, allowed: "true or false") { values throws(SettingsError) in
      try values[0].boolean()
    } show: {
      ["\($0)"]
    }
  }
}

extension SettingFormat<Int> {
  public static func integer(_ range: ClosedRange<Int>) -> Self {
    let allowed =
      range.upperBound == .max
      ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    return SettingFormat(.value("number"), allowed: allowed) { values throws(SettingsError) in
      try values[0].integer(in: range)
    } show: {
      ["\($0)"]
    }
  }
}

extension SettingFormat<String> {
  /// Any text that `problem` finds nothing wrong with.
  public static func text(
    _ placeholder: String, allowed: String,
    problem: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> Self {
    SettingFormat(.value(placeholder), allowed: allowed) { values throws(SettingsError) in
      if let problem = problem(values[0].text) { throw values[0].wrong(problem) }
      return values[0].text
    } show: {
      [$0]
    }
  }
}

extension SettingFormat<String?> {
  /// Any text. An empty text stands for none.
  public static func optionalText(_ placeholder: String, allowed: String) -> Self {
    SettingFormat(
      placeholder, allowed: allowed, parse: { .some($0.isEmpty ? nil : $0) }, show: { $0 ?? "" })
  }

  /// The path of a file. An empty text stands for no file.
  public static var file: Self {
    optionalText("file", allowed: "the path of a file")
  }

  /// The path of a folder. An empty text stands for no folder.
  public static var folder: Self {
    optionalText("folder", allowed: "the path of a folder")
  }
}

extension SettingFormat<[String]> {
  /// A list of at least one text that `problem` finds nothing wrong with.
  public static func list(
    _ placeholder: String, allowed: String, separator: Character = ",",
    problem: @escaping @Sendable (String) -> String?
  ) -> Self {
    SettingFormat(.list(placeholder, separator: separator), allowed: allowed) {
      values throws(SettingsError) in
      for value in values {
        if let problem = problem(value.text) { throw value.wrong(problem) }
      }
      return values.map(\.text)
    } show: {
      $0
    }
  }
}

extension SettingFormat where Value: RawRepresentable<String> & CaseIterable {
  /// One of the cases of an enumeration, by its raw value.
  public static var choice: Self {
    let names = Value.allCases.map(\.rawValue)
    let allowed =
      names.count > 1
      ? "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])" : names.joined()
    return SettingFormat(
      "name", allowed: allowed, parse: { Value(rawValue: $0) }, show: \.rawValue)
  }
}
