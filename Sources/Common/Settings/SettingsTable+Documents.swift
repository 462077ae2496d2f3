extension SettingsTable {
  /// Returns a sample file: every key with its meaning and its default, commented out.
  ///
  /// Lines of explanation begin with `# `, and lines with a key, without the `#`, are valid YAML.
  public func sample(title: String) -> String {
    var lines = title.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "#" : "# \($0)"
    }
    for section in sections {
      lines += ["", "\(section):"]
      for setting in settings where setting.section == section {
        lines += Self.wrapped("\(setting.help): \(setting.allowed).\(setting.note)", width: 94)
          .map { "  # \($0)" }
        lines.append("  #\(setting.key): \(setting.yaml(in: defaults))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the settings as a table in Markdown.
  public func reference() -> String {
    var lines = [
      "| key | flag | environment | default | values | reloadable |", "|---|---|---|---|---|---|",
    ]
    for setting in settings {
      let flag = setting.shape == .toggle ? "--[no-]\(setting.flag)" : "--\(setting.flag)"
      lines.append(
        "| `\(setting.path)` | `\(flag)` | `\(setting.variable)` | "
          + "\(setting.defaultText(in: defaults)) | \(setting.allowed) | \(setting.reload.rawValue) |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the values as text, by the paths of their keys.
  public func texts(of values: Values) -> [String: String] {
    Dictionary(uniqueKeysWithValues: settings.map { ($0.path, $0.value(in: values)) })
  }

  /// Returns the settings with their values and origins, a line for each.
  public func listing(_ values: LayeredValues<Values>) -> String {
    settings.map { setting in
      let value = setting.yaml(in: values.values)
      return "\(setting.path): \(value)  # \(values.origin(setting.path))\n"
    }.joined()
  }

  private static func wrapped(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Setting {
  fileprivate var note: String { reload == .live ? " Reloadable." : "" }
}
