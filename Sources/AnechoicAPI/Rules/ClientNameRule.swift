/// What a client may be called: what its header can carry.
public enum ClientNameRule {
  public static let longest = 100
  public static let text =
    "takes 1 to \(longest) printable ASCII characters, none of the ends a space"

  public static func allows(_ name: String) -> Bool {
    (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20...0x7e).contains($0) }
      && name.first != " " && name.last != " "
  }
}
