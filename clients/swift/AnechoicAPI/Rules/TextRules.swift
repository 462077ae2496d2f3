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

/// The rule for client names: printable ASCII, which a header can carry.
public enum ClientNameRule {
  public static let longest = 100
  public static let text =
    "must have 1 to \(longest) printable ASCII characters, without a space at either end"

  public static func allows(_ name: String) -> Bool {
    (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7e).contains($0) }
      && name.first != " " && name.last != " "
  }
}

extension String {
  /// Whether the text is safe to show to a person on one line. Control characters could make a
  /// terminal show something else.
  public var isPlainText: Bool {
    unicodeScalars.allSatisfy(\.isPlain)
  }

  /// Returns at most `count` characters that are safe to show, for a message that quotes this text.
  public func plainPrefix(_ count: Int) -> String {
    String(String.UnicodeScalarView(unicodeScalars.lazy.filter(\.isPlain).prefix(count)))
  }
}

extension Unicode.Scalar {
  fileprivate var isPlain: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
