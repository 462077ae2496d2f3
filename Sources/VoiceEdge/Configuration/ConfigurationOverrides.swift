/// Values that override a configuration file, by the paths of the keys: flags, and below them
/// environment variables. The keys that are read define the valid names.
final class ConfigurationOverrides {
  private static let prefix = "ANECHOIC_EDGE_"

  private let values: EdgeConfiguration.Overrides
  private var asked: Set<String> = []

  init(_ values: EdgeConfiguration.Overrides) { self.values = values }

  /// Returns the variable of a key: `ANECHOIC_EDGE_SERVER_ADDRESS` for `server.address`.
  private static func variable(_ path: String) -> String {
    prefix + path.uppercased().replacing(".", with: "_").replacing("-", with: "_")
  }

  func value(_ path: String) -> ConfigurationSection.Value? {
    let variable = Self.variable(path)
    asked.insert(variable)
    if let (value, flag) = values.flags[path] {
      return ConfigurationSection.Value(text: value, place: flag)
    }
    return values.environment[variable].map {
      ConfigurationSection.Value(text: $0, place: variable)
    }
  }

  /// Throws for a variable that belongs to no key. Call it when all keys have been read.
  func check() throws(ConfigurationError) {
    let unknown = values.environment.keys.filter {
      $0.hasPrefix(Self.prefix) && !asked.contains($0)
    }
    if let first = unknown.min() {
      throw ConfigurationError(first, "no key belongs to this variable")
    }
  }
}
