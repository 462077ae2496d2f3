extension SettingsTable {
  /// Returns a sample file: every key with its meaning and its default, commented out.
  ///
  /// Lines of explanation begin with `# `, and lines with a key, without the `#`, are valid YAML.
  public func sample(title: String) -> String {
    var lines = Self.commented(title)
    for section in sections {
      lines.append("")
      lines += notes[section].map { Self.commented($0) } ?? []
      let indent = section.isEmpty ? "" : "  "
      if !section.isEmpty { lines.append("\(section):") }
      for setting in settings where setting.section == section && setting.isInFile {
        lines += setting.explanation(in: defaults, width: 96 - indent.count)
          .map { "\(indent)# \($0)" }
        if let elements = setting.elements {
          lines.append("\(indent)#\(setting.key):")
          lines += elements.sample.map { "\(indent)  \($0)" }
        } else {
          lines.append("\(indent)#\(setting.line(in: defaults))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the settings as a table in Markdown.
  public func reference() -> String {
    let isReloadable = settings.contains { $0.reload == .live }
    let titles = ["key", "flag", "environment", "default", "values"]
    var lines = [
      Self.row(titles + (isReloadable ? ["reloadable"] : [])),
      "|" + String(repeating: "---|", count: titles.count + (isReloadable ? 1 : 0)),
    ]
    for setting in settings {
      let flag = setting.flag.map {
        setting.shape == .toggle ? "`--[no-]\($0)`" : "`--\($0)`"
      }
      let cells = [
        setting.isInFile ? "`\(setting.path)`" : "", flag ?? "",
        variable(of: setting).map { "`\($0)`" } ?? "", setting.defaultText(in: defaults),
        setting.allowed,
      ]
      lines.append(Self.row(cells + (isReloadable ? [setting.reload.rawValue] : [])))
      for element in setting.elements?.rows ?? [] {
        lines.append(
          Self.row(
            ["`\(setting.path)[].\(element.key)`", "", "", element.defaultText, element.allowed]
              + (isReloadable ? [setting.reload.rawValue] : [])))
      }
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
      "\(setting.line(in: values.values, setting.path))  # \(values.origin(setting.path))\n"
    }.joined()
  }

  /// Returns values as a mapping in YAML on one line, without those that cannot be written.
  func flow(_ values: Values) -> String {
    let keys = settings.filter { !$0.yaml(in: values).isEmpty }
    return "{\(keys.map { $0.line(in: values) }.joined(separator: ", "))}"
  }

  private static func commented(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "#" : "# \($0)"
    }
  }

  private static func row(_ cells: [String]) -> String {
    cells.reduce("|") { $1.isEmpty ? "\($0) |" : "\($0) \($1) |" }
  }
}

extension Setting {
  /// Returns the key, or another name for it, and its value in YAML.
  func line(in values: Values, _ name: String? = nil) -> String {
    let (name, value) = (name ?? key, yaml(in: values))
    return value.isEmpty ? "\(name):" : "\(name): \(value)"
  }

  /// Returns the meaning, the values and a default that cannot be written, as lines.
  func explanation(in defaults: Values, width: Int) -> [String] {
    let chosen = unset.map { yaml(in: defaults).isEmpty ? " Default: \($0)." : "" } ?? ""
    let note = reload == .live ? " Reloadable." : ""
    return Self.wrapped("\(description).\(chosen)\(note)", width: width)
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
