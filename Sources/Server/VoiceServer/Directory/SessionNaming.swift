internal import AnechoicAPI
internal import GRPCTransport

/// The last part of a session's name, "sessions/{session_id}".
enum SessionID {
  /// Returns the id that a start asks for, or a new random id if `wanted` is empty.
  static func resolve(
    _ wanted: String, path: String = "start.session_id"
  ) throws(InvalidFieldError) -> String {
    guard !wanted.isEmpty else { return Identifier.random() }
    guard Identifier.isValid(wanted) else { throw InvalidFieldError(path, Identifier.rule) }
    return wanted
  }

  /// Returns the id in a name of the form "sessions/{session_id}". Throws INVALID_ARGUMENT if the
  /// name has another form.
  static func named(_ name: String, field: String) throws(Status) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "sessions", Identifier.isValid(String(parts[1])) else {
      throw Status(
        InvalidFieldError(field, "must be sessions/SESSION_ID, where SESSION_ID \(Identifier.rule)")
      )
    }
    return String(parts[1])
  }
}

/// The rules for the labels that clients attach to a session.
enum SessionLabels {
  private static let most = 64
  private static let longestKey = 63
  private static let longestValue = 255

  /// Returns the labels. Throws if there are too many, or if a key or a value is not allowed.
  static func check(
    _ labels: [String: String], path: String
  ) throws(InvalidFieldError) -> [String: String] {
    guard labels.count <= most else {
      throw InvalidFieldError(path, "must have at most \(most) labels")
    }
    for (key, value) in labels {
      let name = key.plainPrefix(longestKey)
      guard (1...longestKey).contains(key.utf8.count), key.isPlainText else {
        throw InvalidFieldError(
          path, "key \"\(name)\" must have 1 to \(longestKey) bytes, without control characters")
      }
      guard value.utf8.count <= longestValue, value.isPlainText else {
        throw InvalidFieldError(
          path,
          "the value of \"\(name)\" must have at most \(longestValue) bytes, without control characters"
        )
      }
    }
    return labels
  }
}
