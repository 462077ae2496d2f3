/// The values of settings, and the layers that they come from.
public struct LayeredValues<Values: Sendable>: Sendable {
  public var values: Values
  /// The former names that are used, and other warnings of the program, a line for each.
  public internal(set) var warnings: [String] = []
  /// The values that are set, by the paths of their keys. A list has several.
  var places: [String: [SettingsValue]] = [:]
  /// The place of the mapping, if it is an element of a list.
  private let element: String?

  init(values: Values, root: SettingsSection) {
    self.values = values
    element = root.element
  }

  /// Returns the layer of the setting with the key at a path.
  public func origin(_ path: String) -> SettingOrigin {
    places[path]?.first?.origin ?? .defaultValue
  }

  /// Returns the place where the key at a path is set, for errors, or nil if it is set nowhere.
  public func place(of path: String) -> String? { places[path]?.first?.place }

  /// Adds a warning about the key at a path. It names the place where the key is set.
  public mutating func warn(_ path: String, at index: Int = 0, _ problem: String) {
    warnings.append(wrong(path, at: index, problem).description)
  }

  /// Returns an error about the key at a path. It names the place where the key is set.
  ///
  /// - Parameter index: The element of a list that is wrong.
  public func wrong(_ path: String, at index: Int = 0, _ problem: String) -> SettingsError {
    if let places = places[path], places.indices.contains(index) {
      return places[index].wrong(problem)
    }
    return SettingsError(element.map { "\($0).\(path)" } ?? path, problem)
  }
}

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
