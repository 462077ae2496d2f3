internal import AnechoicAPI
internal import GRPCTransport

/// The last part of a session's name, "sessions/{session_id}".
enum SessionID {
  /// Returns the id that a start asks for, or a new random id if `wanted` is empty.
  static func resolve(
    _ wanted: String, path: String = "start.session_id"
  ) throws(InvalidField) -> String {
    guard !wanted.isEmpty else { return Identifier.random() }
    guard Identifier.isValid(wanted) else { throw InvalidField(path, Identifier.rule) }
    return wanted
  }

  /// Returns the id in a name of the form "sessions/{session_id}". Throws INVALID_ARGUMENT if the
  /// name has another form.
  static func named(_ name: String, field: String) throws(Status) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "sessions", Identifier.isValid(String(parts[1])) else {
      throw Status(
        InvalidField(field, "must be sessions/SESSION_ID, where SESSION_ID \(Identifier.rule)"))
    }
    return String(parts[1])
  }
}
