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
    guard labels.count <= most else { throw InvalidField(path, "must have at most \(most) labels") }
    for (key, value) in labels {
      let name = key.plainPrefix(longestKey)
      guard (1...longestKey).contains(key.utf8.count), key.isPlainText else {
        throw InvalidField(
          path, "key \"\(name)\" must have 1 to \(longestKey) bytes, without control characters")
      }
      guard value.utf8.count <= longestValue, value.isPlainText else {
        throw InvalidField(
          path,
          "the value of \"\(name)\" must have at most \(longestValue) bytes, without control characters"
        )
      }
    }
    return labels
  }
}
