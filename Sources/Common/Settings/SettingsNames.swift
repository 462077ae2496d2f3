/// The names of a program's settings outside the keys of its file.
public struct SettingsNames: Sendable {
  /// The beginning of the variables. The rest of a variable is the flag in upper case.
  public let prefix: String
  /// Whether a variable with the prefix that belongs to no setting is an error.
  public let refusesOtherVariables: Bool
  let former: FormerNames?

  public init(
    prefix: String, refusesOtherVariables: Bool = false, former: FormerNames? = nil
  ) {
    self.prefix = prefix
    self.refusesOtherVariables = refusesOtherVariables
    self.former = former
  }

  func variable(ofFlag flag: String) -> String {
    prefix + flag.uppercased().replacing("-", with: "_")
  }
}

/// The names of settings in the version before. They still work, with a warning.
public struct FormerNames: Sendable {
  let key: @Sendable (_ key: String) -> String
  let variable: @Sendable (_ path: String) -> String

  /// Creates the names.
  ///
  /// - Parameters:
  ///   - key: Returns the former name of a key in its section, which may be the present one.
  ///   - variable: Returns the former variable of the setting with the key at a path, which may be
  ///     the present one.
  public init(
    key: @escaping @Sendable (_ key: String) -> String,
    variable: @escaping @Sendable (_ path: String) -> String
  ) {
    self.key = key
    self.variable = variable
  }
}

/// The variables of a setting.
struct SettingVariable: Sendable {
  let name: String
  /// The variable of the version before, if it was another one.
  let former: String?

  var all: [String] { [name] + (former.map { [$0] } ?? []) }
}
