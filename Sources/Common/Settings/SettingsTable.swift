internal import AnechoicAPI

/// The settings of a program, in the order of its sample file.
public struct SettingsTable<Values: Sendable>: Sendable {
  public let settings: [Setting<Values>]
  /// The values of a program without flags, variables and file.
  public let defaults: Values
  public let names: SettingsNames
  /// Explanations of sections for the sample file, by the names of the sections.
  let notes: [String: String]
  /// The maximum size of a settings file in bytes. Callers must not read more.
  public static var longestFile: Int { 256 << 10 }

  /// Creates a table. No two settings may have the same key, flag or variable.
  ///
  /// - Parameters:
  ///   - names: The names outside the file. Elements of a list have none.
  ///   - notes: Explanations of sections for the sample file, by the names of the sections.
  public init(
    _ settings: [Setting<Values>], defaults: Values,
    names: SettingsNames = SettingsNames(prefix: "ANECHOIC_"), notes: [String: String] = [:]
  ) {
    self.settings = settings
    self.defaults = defaults
    self.names = names
    self.notes = notes
    let flags = settings.compactMap(\.flag)
    let variables = self.variables.values.flatMap(\.all)
    precondition(Set(settings.map(\.path)).count == settings.count, "two settings with one key")
    precondition(Set(flags).count == flags.count, "two settings with one flag")
    precondition(Set(variables).count == variables.count, "two settings with one variable")
  }

  /// The names of the sections, in the order of the sample file. Empty for keys outside of
  /// sections.
  public var sections: [String] {
    settings.reduce(into: []) { names, setting in
      if !names.contains(setting.section) { names.append(setting.section) }
    }
  }

  /// Returns the environment variable of a setting, or nil if only a file can contain it.
  public func variable(of setting: Setting<Values>) -> String? {
    setting.flag.map { names.variable(ofFlag: $0) }
  }

  /// Reads the settings.
  ///
  /// - Parameters:
  ///   - text: The YAML text of the file, or an empty text.
  ///   - file: The name of the file in errors.
  ///   - overrides: Flags by the paths of their keys, and the environment. Variables that belong to
  ///     no key are ignored, because Kubernetes adds its own for each service, unless the names
  ///     refuse them. One that is almost the variable of a key is a warning.
  public func read(
    _ text: String, file: String, _ overrides: SettingsOverrides
  ) throws(SettingsError) -> LayeredValues<Values> {
    let reading = SettingsReading(
      file: file, formerKey: names.former?.key ?? { $0 }, overrides, variables: variables,
      paths: settings.filter(\.isInFile).map(\.path))
    let root = try SettingsSection(text, reading)
    try reading.checkVariables(of: names)
    var result = try read(root)
    result.warnings = reading.warnings
    return result
  }

  /// Reads the settings from a mapping.
  func read(_ root: SettingsSection) throws(SettingsError) -> LayeredValues<Values> {
    let sections = sections
    let rootKeys = settings.filter { $0.section.isEmpty && $0.isInFile }.map(\.key)
    try root.check(Set(sections.filter { !$0.isEmpty } + rootKeys))
    var result = LayeredValues(values: defaults, root: root)
    for name in sections {
      let section = name.isEmpty ? root : try root.section(name)
      let settings = settings.filter { $0.section == name }
      if !name.isEmpty { try section.check(Set(settings.filter(\.isInFile).map(\.key))) }
      for setting in settings { try setting.read(section, &result) }
    }
    return result
  }

  private var variables: [String: SettingVariable] {
    var variables: [String: SettingVariable] = [:]
    for setting in settings {
      guard let name = variable(of: setting) else { continue }
      let former = names.former?.variable(setting.path)
      variables[setting.path] = SettingVariable(name: name, former: former == name ? nil : former)
    }
    return variables
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
