public import ArgumentParser

/// A number of bytes on a command line: `512MiB`, `64KiB`, `1GiB`, or a number alone.
public struct ByteCountArgument: ExpressibleByArgument, CustomStringConvertible, Sendable {
  private static let units: [(suffix: String, shift: Int)] = [
    ("GiB", 30), ("MiB", 20), ("KiB", 10), ("", 0),
  ]

  public let bytes: Int

  public init(_ bytes: Int) { self.bytes = bytes }

  public init?(argument: String) {
    guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
      let count = Int(argument.dropLast(unit.suffix.count)), count >= 0
    else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: 1 << unit.shift)
    guard !overflow else { return nil }
    self.bytes = bytes
  }

  /// The number in the largest unit that divides it, such as `64KiB`.
  public var description: String {
    let unit = Self.units.first { bytes >= 1 << $0.shift && bytes % (1 << $0.shift) == 0 }
    guard let unit else { return "\(bytes)" }
    return "\(bytes >> unit.shift)\(unit.suffix)"
  }
}
