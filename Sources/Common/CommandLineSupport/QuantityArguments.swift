public import ArgumentParser
internal import Foundation

/// A time on a command line: `500ms`, `10s`, `2m`, `24h`, `7d`, or a number of seconds.
public struct DurationArgument: ExpressibleByArgument, CustomStringConvertible, Sendable {
  private static let units: [(suffix: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400), ("", 1),
  ]
  /// The longest time, ten years, in seconds.
  private static let longest = 3650 * 86_400.0

  public let duration: Duration

  public init(_ duration: Duration) { self.duration = duration }

  public init?(argument: String) {
    guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
      let count = Double(argument.dropLast(unit.suffix.count)),
      (0...Self.longest).contains(count * unit.seconds)
    else { return nil }
    duration = .seconds(count * unit.seconds)
  }

  /// The time in hours or minutes if they divide it, otherwise in seconds.
  public var description: String {
    let seconds = duration / .seconds(1)
    guard seconds > 0 else { return "0" }
    let unit = Self.units.last { unit in
      (60...3600).contains(unit.seconds) && seconds >= unit.seconds
        && seconds.truncatingRemainder(dividingBy: unit.seconds) == 0
    }
    guard let unit else { return String(format: "%gs", seconds) }
    return String(format: "%g", seconds / unit.seconds) + unit.suffix
  }
}

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
