/// The name of a jack, as the kernel's driver calls its control (`sound/core/ctljack.c`).
public struct JackName: Sendable, Hashable, CustomStringConvertible {
  /// The name of the control, such as `Headphone Jack`.
  public let name: String
  /// The index among the controls of this name.
  public let index: Int

  /// The longest name in bytes, and the largest index.
  private static let (longest, largestIndex) = (43, 255)

  public init(name: String, index: Int = 0) {
    self.name = name
    self.index = index
  }

  /// Creates a name from `NAME` or `NAME,INDEX`. Nil if no control can have it.
  public init?(_ text: String) {
    var (name, index) = (text[...], 0)
    if let comma = text.lastIndex(of: ","), let number = Int(text[text.index(after: comma)...]) {
      (name, index) = (text[..<comma], number)
    }
    guard !name.isEmpty, name.utf8.count <= Self.longest,
      (0...Self.largestIndex).contains(index)
    else { return nil }
    self.init(name: String(name), index: index)
  }

  public var description: String { index == 0 ? name : "\(name),\(index)" }
}
