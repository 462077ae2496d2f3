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
      switch range.upperBound {
      case .max: "\(range.lowerBound) or more"
      case range.lowerBound + 1: "\(range.lowerBound) or \(range.upperBound)"
      default: "\(range.lowerBound) to \(range.upperBound)"
      }
    return SettingFormat("number", allowed: allowed) { value throws(SettingsError) in
      try value.integer(in: range)
    } show: {
      "\($0)"
    }
  }
}

extension SettingFormat<Double> {
  /// A number in a range.
  public static func number(_ range: ClosedRange<Double>) -> Self {
    let (least, most) = (text(of: range.lowerBound), text(of: range.upperBound))
    return SettingFormat("number", allowed: "\(least) to \(most)") { value throws(SettingsError) in
      guard let number = Double(value.text), range.contains(number) else {
        throw value.wrong("\"\(value.text)\" is not a number from \(least) to \(most)")
      }
      return number
    } show: {
      text(of: $0)
    }
  }

  /// Returns a number without a fraction if it is whole.
  private static func text(of number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}

extension SettingFormat<String> {
  /// Any text that `problem` finds nothing wrong with.
  public static func text(
    _ placeholder: String, allowed: String,
    problem: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> Self {
    SettingFormat(placeholder, allowed: allowed) { value throws(SettingsError) in
      if let problem = problem(value.text) { throw value.wrong(problem) }
      return value.text
    } show: {
      $0
    }
  }

  /// Any text that is not empty and that `problem` finds nothing wrong with. An empty default
  /// stands for a value that the program chooses.
  public static func filledText(
    _ placeholder: String, allowed: String,
    problem: @escaping @Sendable (String) -> String? = { _ in nil }
  ) -> Self {
    SettingFormat(placeholder, allowed: allowed) { value throws(SettingsError) in
      guard !value.text.isEmpty else { throw value.wrong("must not be empty") }
      if let problem = problem(value.text) { throw value.wrong(problem) }
      return value.text
    } show: {
      $0.isEmpty ? nil : $0
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

extension SettingFormat {
  /// Another format, for a value that may be absent. No text stands for an absent value: the key is
  /// not set then.
  public static func optional<Wrapped>(_ format: SettingFormat<Wrapped>) -> Self
  where Value == Wrapped? {
    SettingFormat(
      format.shape, allowed: format.allowed, elements: format.elements
    ) { section, key throws(SettingsError) in
      guard let (value, places) = try format.read(section, key) else { return nil }
      return (value, places: places)
    } show: {
      $0.map { format.show($0) } ?? []
    }
  }

  /// One of some words, each with its value.
  public static func words(_ words: [(String, Value)]) -> Self {
    SettingFormat("name", allowed: alternatives(words.map(\.0))) { value throws(SettingsError) in
      guard let word = words.first(where: { $0.0 == value.text }) else {
        throw value.wrong(
          "\"\(value.text)\" is not allowed; use \(alternatives(words.map(\.0)))")
      }
      return word.1
    } show: { value in
      words.first { $0.1 == value }?.0
    }
  }

  private static func alternatives(_ names: [String]) -> String {
    names.count > 1
      ? "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])" : names.joined()
  }
}

extension SettingFormat<[String]> {
  /// A list of texts that `problem` finds nothing wrong with.
  public static func list(
    _ placeholder: String, allowed: String, separator: Character = ",",
    problem: @escaping @Sendable (String) -> String? = { _ in nil }
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
  public static var choice: Self { words(Value.allCases.map { ($0.rawValue, $0) }) }
}
