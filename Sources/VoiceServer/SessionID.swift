internal import AnechoicAPI
internal import GRPCTransport

/// The last part of a session's name, "sessions/{session_id}".
enum SessionID {
  /// The id that a start asks for, or a new one.
  static func resolve(
    _ wanted: String, path: String = "start.session_id"
  ) throws(InvalidField) -> String {
    guard !wanted.isEmpty else { return random() }
    guard isValid(wanted) else {
      throw InvalidField(
        path, "takes up to 63 of a-z, A-Z, 0-9, \"-\", \"_\" and \".\"")
    }
    return wanted
  }

  /// The id in a name, "sessions/{session_id}". Throws INVALID_ARGUMENT for what is no name.
  static func named(_ name: String, field: String) throws(Status) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "sessions", !parts[1].isEmpty, isValid(String(parts[1]))
    else {
      throw Status(InvalidField(field, "is not of the form sessions/SESSION_ID"))
    }
    return String(parts[1])
  }

  static func isValid(_ id: String) -> Bool {
    id.utf8.count <= 63 && id.utf8.allSatisfy(isAllowed)
  }

  private static func random() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
