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

  /// Returns the elements of a list, or nil if nothing overrides the file.
  ///
  /// - Parameter separator: The character between the elements in a variable. Nil for a single
  ///   value.
  func values(_ path: String, separator: Character?) -> [SettingsValue]? {
    if let flag = overrides.flags[path] {
      return flag.values.map {
        SettingsValue(text: $0, place: flag.name, origin: .flag(flag.name))
      }
    }
    let set = variables[path]?.all.first { variable(named: $0) != nil }
    guard let set, let text = variable(named: set) else { return nil }
    let elements = separator.map { text.split(separator: $0).map { String($0) } } ?? [text]
    guard !elements.isEmpty else { return nil }
    return elements.map { SettingsValue(text: $0, place: set, origin: .environment(set)) }
  }

  /// Returns the value of a variable, or nil if it is not set. An empty one, as `${NAME:-}` makes it, counts
  /// as not set.
  private func variable(named name: String) -> String? {
    overrides.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws for a variable whose former name is set too, and, if the names refuse others, for a variable
  /// with their prefix that belongs to no key. Otherwise adds a warning for such a variable that is
  /// almost one of a key. Adds a warning for each former name.
  func checkVariables(of names: SettingsNames) throws(SettingsError) {
    for variable in variables.values.sorted(by: { $0.name < $1.name }) {
      guard let former = variable.former, self.variable(named: former) != nil else { continue }
      guard self.variable(named: variable.name) == nil else {
        throw SettingsError(
          former, "is the former name of \(variable.name), which is set too; remove \(former)")
      }
      warn(former, former, isNow: variable.name)
    }
    let known = Set(variables.values.flatMap(\.all))
    let others = overrides.environment.keys.filter {
      $0.hasPrefix(names.prefix) && !known.contains($0)
    }
    for other in others.sorted() where names.refusesOtherVariables || !Self.isOfKubernetes(other) {
      let nearest = nearestVariable(to: other, prefix: names.prefix)
      let meant = nearest.map { "; did you mean \($0)?" } ?? ""
      let error = SettingsError(other, "no key belongs to this variable\(meant)")
      if names.refusesOtherVariables { throw error }
      if nearest != nil { warnings.append(error.description) }
    }
  }

  /// Returns the variable of a key that is most like a name: with a few other letters, or with one word
  /// more. Returns nil if there is none.
  private func nearestVariable(to name: String, prefix: String) -> String? {
    // Without the prefix, which all have in common and which would make all of them look near.
    let candidates = variables.values.flatMap { variable in
      variable.all.map { (rest: String($0.dropFirst(prefix.count)), name: variable.name) }
    }.sorted { $0 < $1 }
    let rest = String(name.dropFirst(prefix.count))
    let nearest = NearestName.of(rest, among: candidates.map(\.rest))
    return candidates.first { $0.rest == nearest || Self.lacksWord(rest, of: $0.rest) }?.name
  }

  /// Whether a name is another one without one of its words.
  private static func lacksWord(_ name: String, of other: String) -> Bool {
    let (words, all) = (name.split(separator: "_"), other.split(separator: "_"))
    return all.indices.contains { index in
      words == all.enumerated().filter { $0.offset != index }.map(\.element)
    }
  }

  /// Whether Kubernetes may have added a variable for a service, such as `ANECHOIC_SERVICE_HOST`.
  private static func isOfKubernetes(_ name: String) -> Bool {
    name.contains("_SERVICE_") || name.contains("_PORT")
  }
}
