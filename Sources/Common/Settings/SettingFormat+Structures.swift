/// A problem inside a value with a structure of its own.
public struct NestedSettingError: Error, Equatable {
  /// The names of the fields from the value to the problem.
  public let path: [String]
  public let problem: String

  public init(at path: [String], _ problem: String) {
    self.path = path
    self.problem = problem
  }
}

extension SettingFormat {
  /// Keys and values that are checked elsewhere. Only a file can contain them.
  ///
  /// - Parameter parse: Returns the value of an object for JSONSerialization.
  public static func object(
    allowed: String, parse: @escaping @Sendable ([String: Any]) throws(NestedSettingError) -> Value
  ) -> Self {
    SettingFormat(.structure, allowed: allowed) { section, key throws(SettingsError) in
      guard let object = try section.object(key) else { return nil }
      do throws(NestedSettingError) {
        return (try parse(object), places: section.mark(key).map { [$0] } ?? [])
      } catch {
        throw section.wrong(key, at: error.path, error.problem)
      }
    } show: { _ in
      ["{}"]
    }
  }

  /// A list of mappings, each with the keys of a table. Only a file can contain it.
  ///
  /// - Parameters:
  ///   - table: The keys of an element, without sections.
  ///   - example: The element that the sample file shows.
  ///   - settle: Checks the elements together and completes them.
  public static func elements<Element: Sendable & Equatable>(
    _ table: SettingsTable<Element>, allowed: String, example: Element,
    settle: @escaping @Sendable (inout [LayeredValues<Element>]) throws(SettingsError) -> Void
  ) -> Self where Value == [Element] {
    SettingFormat(
      .structure, allowed: allowed, elements: ElementDocuments(table, example: example)
    ) { section, key throws(SettingsError) in
      var elements: [LayeredValues<Element>] = []
      for element in try section.sections(key) { elements.append(try table.read(element)) }
      guard !elements.isEmpty else { return nil }
      try settle(&elements)
      return (elements.map(\.values), places: section.mark(key).map { [$0] } ?? [])
    } show: { elements in
      elements.map { table.flow($0) }
    }
  }
}

/// The keys of the elements of a list, for documents.
struct ElementDocuments: Sendable {
  /// The lines of the sample that show an element.
  let sample: [String]
  /// The cells of the reference for each key: the key, the default and the values.
  let rows: [(key: String, defaultText: String, allowed: String)]

  init<Element>(_ table: SettingsTable<Element>, example: Element) {
    var lines: [String] = []
    for setting in table.settings {
      // The first key shares its line with the dash.
      let (indent, dash) = lines.isEmpty ? ("", "- ") : ("  ", "")
      lines += setting.explanation(in: table.defaults, width: 90).map { "\(indent)# \($0)" }
      lines.append("\(indent)#\(dash)\(setting.line(in: example))")
    }
    sample = lines
    rows = table.settings.map { ($0.key, $0.defaultText(in: table.defaults), $0.allowed) }
  }
}
