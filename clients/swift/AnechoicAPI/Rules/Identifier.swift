/// The rule for ids in names, such as the session id in `sessions/{session_id}`.
public enum Identifier {
  public static let longest = 63
  public static let rule = "must have 1 to \(longest) of a-z, A-Z, 0-9, \"-\", \"_\" and \".\""

  public static func isValid(_ id: String) -> Bool {
    (1...longest).contains(id.utf8.count) && id.utf8.allSatisfy(isAllowed)
  }

  /// Returns a new random id.
  public static func random() -> String {
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
