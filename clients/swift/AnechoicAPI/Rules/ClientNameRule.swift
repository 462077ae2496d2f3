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
