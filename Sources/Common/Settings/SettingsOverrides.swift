/// Values that take precedence over those in a file: flags, and below them environment variables.
public struct SettingsOverrides: Sendable {
  /// A flag and its values.
  struct Flag: Sendable {
    var name: String
    var values: [String]
    /// Whether commas separate the elements of a list.
    var isOneText: Bool
  }

  let environment: [String: String]
  private(set) var flags: [String: Flag] = [:]

  /// Creates overrides from the process's environment, of which the variables that belong to keys
  /// count.
  public init(environment: [String: String] = [:]) { self.environment = environment }

  /// Sets the value of a flag for the key at a path, such as `server.address`. The elements of a list
  /// are separated by commas. Nil has no effect.
  public mutating func set(_ path: String, _ value: String?, flag: String) {
    if let value { flags[path] = Flag(name: flag, values: [value], isOneText: true) }
  }

  /// Sets the values of a flag that is repeated for each element of a list. None have no effect.
  public mutating func set(_ path: String, _ values: [String], flag: String) {
    if !values.isEmpty { flags[path] = Flag(name: flag, values: values, isOneText: false) }
  }
}

/// The overrides while settings are read. The keys that are read define the valid variables.
final class OverrideReader {
  private let overrides: SettingsOverrides
  private let variable: (_ path: String) -> String
  private var asked: Set<String> = []

  init(_ overrides: SettingsOverrides, variable: @escaping (_ path: String) -> String) {
    self.overrides = overrides
    self.variable = variable
  }

  func value(_ path: String) -> SettingsValue? { values(path, separator: nil)?.first }

  /// Returns the elements of a list, or nil if nothing overrides the file.
  ///
  /// - Parameter separator: The character between the elements. Nil for a single value.
  func values(_ path: String, separator: Character?) -> [SettingsValue]? {
    let variable = variable(path)
    asked.insert(variable)
    if let flag = overrides.flags[path] {
      return Self.elements(flag.values, at: flag.isOneText ? separator : nil).map {
        SettingsValue(text: $0, place: flag.name, origin: .flag(flag.name))
      }
    }
    guard let text = overrides.environment[variable] else { return nil }
    return Self.elements([text], at: separator).map {
      SettingsValue(text: $0, place: variable, origin: .environment(variable))
    }
  }

  private static func elements(_ values: [String], at separator: Character?) -> [String] {
    guard let separator else { return values }
    return values.flatMap { $0.split(separator: separator).map { String($0) } }
  }

  /// Throws for a variable with this prefix that belongs to no key. Call it when all keys have been
  /// read.
  func check(prefix: String) throws(SettingsError) {
    let unknown = overrides.environment.keys.filter {
      $0.hasPrefix(prefix) && !asked.contains($0)
    }
    if let first = unknown.min() {
      throw SettingsError(first, "no key belongs to this variable")
    }
  }
}
