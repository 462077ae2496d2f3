internal import AnechoicAPI

/// The settings of a program, in the order of its sample file.
public struct SettingsTable<Values: Sendable>: Sendable {
  public let settings: [Setting<Values>]
  /// The values of a program without flags, variables and file.
  public let defaults: Values
  /// The maximum size of a settings file in bytes. Callers must not read more.
  public static var longestFile: Int { 256 << 10 }

  /// Creates a table. No two settings may have the same key or flag.
  public init(_ settings: [Setting<Values>], defaults: Values) {
    precondition(Set(settings.map(\.path)).count == settings.count, "two settings with one key")
    precondition(Set(settings.map(\.flag)).count == settings.count, "two settings with one flag")
    self.settings = settings
    self.defaults = defaults
  }

  /// The names of the sections, in the order of the sample file.
  public var sections: [String] {
    settings.reduce(into: []) { names, setting in
      if !names.contains(setting.section) { names.append(setting.section) }
    }
  }

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - text: The YAML text of the file, or an empty text.
  ///   - file: The name of the file in errors.
  ///   - overrides: The flags by the paths of their keys, and the environment. Variables that belong
  ///     to no key are ignored, because Kubernetes adds its own for each service.
  public func read(
    _ text: String, file: String, _ overrides: SettingsOverrides
  ) throws(SettingsError) -> LayeredValues<Values> {
    let variables = Dictionary(uniqueKeysWithValues: settings.map { ($0.path, $0.variable) })
    let root = try SettingsSection(reading: text, file: file, overrides) { variables[$0] ?? "" }
    try root.check(Set(sections))
    var result = LayeredValues(values: defaults)
    for name in sections {
      let section = try root.section(name)
      let settings = settings.filter { $0.section == name }
      try section.check(Set(settings.map(\.key)))
      for setting in settings {
        let values = try setting.values(in: section)
        guard let first = values.first else { continue }
        try setting.read(values, &result.values)
        result.places[setting.path] = first
      }
    }
    return result
  }
}

extension Setting {
  /// Returns the values of the key in its section. None if the key is set nowhere.
  fileprivate func values(
    in section: SettingsSection
  ) throws(SettingsError) -> [SettingsValue] {
    if case .list(_, let separator) = shape { return try section.list(key, separator: separator) }
    return try section.value(key).map { [$0] } ?? []
  }
}

/// The values of settings, and the layers that they come from.
public struct LayeredValues<Values: Sendable>: Sendable {
  public var values: Values
  /// The values that are set, by the paths of their keys.
  fileprivate(set) var places: [String: SettingsValue] = [:]

  /// Returns the layer of the setting with the key at a path.
  public func origin(_ path: String) -> SettingOrigin { places[path]?.origin ?? .defaultValue }

  /// Returns the place where the key at a path is set, for errors, or nil if it is set nowhere.
  public func place(of path: String) -> String? { places[path]?.place }

  /// Returns an error about the key at a path. It names the place where the key is set.
  public func wrong(_ path: String, _ problem: String) -> SettingsError {
    places[path]?.wrong(problem) ?? SettingsError(path, problem)
  }
}

/// A setting whose value changed while the program ran.
public struct SettingsChange: Sendable, Equatable {
  public let path: String
  public let old: String
  public let new: String
  /// Whether the running program takes the new value.
  public let isApplied: Bool
}

extension SettingsTable {
  /// Copies the values of the settings that a running program can change.
  ///
  /// - Returns: Every setting with a new value. Those that need a restart keep the old value in
  ///   `values`.
  public func reload(_ values: inout Values, from new: Values) -> [SettingsChange] {
    var changes: [SettingsChange] = []
    for setting in settings {
      let (oldText, newText) = (setting.value(in: values), setting.value(in: new))
      guard oldText != newText else { continue }
      let isApplied = setting.reload == .live
      changes.append(
        SettingsChange(path: setting.path, old: oldText, new: newText, isApplied: isApplied))
      if isApplied { setting.copy(new, &values) }
    }
    return changes
  }
}

/// An error in the settings of a program and its place: the line of a file, a variable or a flag. The
/// description is always one line.
public struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The maximum length of the text from a file in the description.
  private static let longestProblem = 300

  /// The line of a file with the key, the variable or the flag.
  public let place: String
  public let description: String

  /// Whether a flag is wrong, which is wrong usage of the command.
  public var isOfFlag: Bool { place.hasPrefix("--") }

  public init(_ place: String, _ problem: String) {
    self.place = place
    let start = problem.prefix(Self.longestProblem)
    let line = String(start.map { "\($0)".isPlainText ? $0 : " " })
    description = "\(place): \(line)\(start.endIndex == problem.endIndex ? "" : "...")"
  }
}
