internal import AnechoicAPI

/// The rules for the labels that clients attach to a session.
enum SessionLabels {
  private static let most = 64
  private static let longestKey = 63
  private static let longestValue = 255

  /// Returns the labels. Throws if there are too many, or if a key or a value is not allowed.
  static func check(
    _ labels: [String: String], path: String
  ) throws(InvalidField) -> [String: String] {
    guard labels.count <= most else { throw InvalidField(path, "takes \(most) labels at most") }
    for (key, value) in labels
    where key.isEmpty || key.utf8.count > longestKey || value.utf8.count > longestValue
      || !key.isPlainText || !value.isPlainText
    {
      throw InvalidField(
        path,
        "a key has 1 to \(longestKey) bytes and a value \(longestValue) at most, without control characters"
      )
    }
    return labels
  }
}
