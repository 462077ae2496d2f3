/// What lies over a configuration's file, by the keys' paths: flags, and below them variables of the
/// environment. It learns which keys there are from what is asked for.
final class ConfigurationOverrides {
  private static let prefix = "ANECHOIC_EDGE_"

  private let values: EdgeConfiguration.Overrides
  private var asked: Set<String> = []

  init(_ values: EdgeConfiguration.Overrides) { self.values = values }

  /// `server.address` is `ANECHOIC_EDGE_SERVER_ADDRESS`.
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

  /// Refuses a variable that nobody asked for. To be called when all keys have been read.
  func check() throws(ConfigurationError) {
    let unknown = values.environment.keys.filter {
      $0.hasPrefix(Self.prefix) && !asked.contains($0)
    }
    if let first = unknown.min() {
      throw ConfigurationError(first, "there is no key that this variable sets")
    }
  }
}
