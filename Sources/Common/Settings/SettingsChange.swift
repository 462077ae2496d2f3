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
