/// The reading of one file with its overrides: all sections share it.
final class SettingsReading {
  /// The name of the file in errors.
  let file: String
  /// The paths of all keys, for hints.
  let paths: [String]
  private let formerKey: (_ key: String) -> String
  private let overrides: SettingsOverrides
  private let variables: [String: SettingVariable]
  /// The former names that are used, a line for each.
  private(set) var warnings: [String] = []
  private var warned: Set<String> = []

  /// Creates a reading.
  ///
  /// - Parameters:
  ///   - formerKey: Returns the former name of a key in its section.
  ///   - variables: The variables by the paths of their keys.
  ///   - paths: The paths of all keys.
  init(
    file: String, formerKey: @escaping (_ key: String) -> String,
    _ overrides: SettingsOverrides = SettingsOverrides(),
    variables: [String: SettingVariable] = [:], paths: [String] = []
  ) {
    self.file = file
    self.formerKey = formerKey
    self.overrides = overrides
    self.variables = variables
    self.paths = paths
  }

  /// Returns the former name of a key, or nil if it is the same.
  func formerName(of key: String) -> String? {
    let former = formerKey(key)
    return former == key ? nil : former
  }

  /// Adds a warning about a former name. Each name is reported once.
  func warn(_ place: String, _ former: String, isNow name: String) {
    // The elements of a list have the same keys.
    let words = former.split(separator: ".").filter { Int($0) == nil }.joined(separator: ".")
    guard warned.insert(words).inserted else { return }
    let problem = "is now called \(name); the next version refuses the former name"
    warnings.append(SettingsError(place, problem).description)
  }

  func value(_ path: String) -> SettingsValue? { values(path, separator: nil)?.first }

  /// Returns the elements of a list, or nil if nothing overrides the file. An empty variable of a list, as
  /// `${NAME:-}` makes it, overrides nothing.
  ///
  /// - Parameter separator: The character between the elements in a variable. Nil for a single
  ///   value.
  func values(_ path: String, separator: Character?) -> [SettingsValue]? {
    if let flag = overrides.flags[path] {
      return flag.values.map {
        SettingsValue(text: $0, place: flag.name, origin: .flag(flag.name))
      }
    }
    let set = variables[path]?.all.first { overrides.environment[$0] != nil }
    guard let set, let text = overrides.environment[set] else { return nil }
    let elements = separator.map { text.split(separator: $0).map { String($0) } } ?? [text]
    guard !elements.isEmpty else { return nil }
    return elements.map { SettingsValue(text: $0, place: set, origin: .environment(set)) }
  }

  /// Throws for a variable whose former name is set too, and, with a prefix, for a variable that
  /// begins with it and belongs to no key. Adds a warning for each former name.
  func checkVariables(claimedPrefix prefix: String?) throws(SettingsError) {
    let environment = overrides.environment
    for variable in variables.values.sorted(by: { $0.name < $1.name }) {
      guard let former = variable.former, environment[former] != nil else { continue }
      guard environment[variable.name] == nil else {
        throw SettingsError(
          former, "is the former name of \(variable.name), which is set too; remove \(former)")
      }
      warn(former, former, isNow: variable.name)
    }
    let known = Set(variables.values.flatMap(\.all))
    guard let prefix,
      let unknown = environment.keys.filter({ $0.hasPrefix(prefix) && !known.contains($0) }).min()
    else { return }
    // Without the prefix, which all have in common and which would make all of them look near.
    let names = variables.values.flatMap { variable in
      variable.all.map { (rest: String($0.dropFirst(prefix.count)), name: variable.name) }
    }.sorted { $0 < $1 }
    let nearest = NearestName.of(
      String(unknown.dropFirst(prefix.count)), among: names.map(\.rest))
    let meant = names.first { $0.rest == nearest }.map { "; did you mean \($0.name)?" } ?? ""
    throw SettingsError(unknown, "no key belongs to this variable\(meant)")
  }
}
