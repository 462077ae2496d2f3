/// Values that take precedence over those in a file: flags, and below them environment variables.
public struct SettingsOverrides: Sendable {
  /// A flag and its values.
  struct Flag: Sendable {
    var name: String
    var values: [String]
  }

  let environment: [String: String]
  private(set) var flags: [String: Flag] = [:]

  /// Creates overrides from the process's environment, of which the variables that belong to keys
  /// count.
  public init(environment: [String: String] = [:]) { self.environment = environment }

  /// Sets the values of a flag for the key at a path, such as `server.address`. A flag is repeated
  /// for each element of a list. No values have no effect.
  public mutating func set(_ path: String, _ values: [String], flag: String) {
    if !values.isEmpty { flags[path] = Flag(name: flag, values: values) }
  }
}
