internal import Authentication

/// The values that a limit may have.
public struct LimitRange<Value: Comparable & AdditiveArithmetic & Sendable>: Sendable {
  private let values: ClosedRange<Value>
  private let canBeOff: Bool
  /// The values in words, such as `0, or 1s to 7d`.
  public let words: String

  init(_ values: ClosedRange<Value>, _ words: String, canBeOff: Bool = false) {
    self.values = values
    self.words = words
    self.canBeOff = canBeOff
  }

  public func contains(_ value: Value) -> Bool {
    values.contains(value) || (canBeOff && value == .zero)
  }

  /// Throws if a value is not in the range. `name` is the option that sets the limit.
  func check(_ value: Value, _ name: String) throws(LimitError) {
    guard contains(value) else { throw LimitError(name: name, range: words) }
  }
}

extension LimitRange<Duration> {
  private static let second = Duration.seconds(1)
  private static let day = second * 86_400

  public static let startDeadline = LimitRange(second...second * 600, "1s to 10m")
  public static let idleLimit = LimitRange(second...day * 7, "0, or 1s to 7d", canBeOff: true)
  public static let longestSession = LimitRange(
    second...day * 365, "0, or 1s to 365d", canBeOff: true)
  public static let jwtKeysRefresh = LimitRange(TokenKeyAddress.refreshRange, "1m to 24h")
  public static let jwtClockSkew = LimitRange(TokenPolicy.clockSkewRange, "0s to 10m")
  public static let resumeWindow = LimitRange(
    second...second * 300, "0, or 1s to 5m", canBeOff: true)
  public static let connectionAge = LimitRange(second...day * 30, "0, or 1s to 30d", canBeOff: true)
  public static let connectionAgeGrace = LimitRange(second...day * 30, "1s to 30d")
  public static let handshakeTimeout = LimitRange(second...second * 120, "1s to 2m")
  /// The time for running sessions to end when a server stops.
  public static let drainTime = LimitRange(.zero...day, "0 to 1d")
}

extension LimitRange<Int> {
  public static let sessions = LimitRange(1...Int.max, "1 or more")
  public static let sessionsPerClient = LimitRange(0...Int.max, "0 or more")
  public static let callsPerConnection = LimitRange(1...1_000_000, "1 to 1000000")
  public static let memoryBytes = LimitRange(
    16 << 20...1 << 40, "0, or 16MiB to 1024GiB", canBeOff: true)
  public static let messageBytes = LimitRange(64 << 10...64 << 20, "64KiB to 64MiB")
}

extension LimitRange<Double> {
  public static let frameBudget = LimitRange(0.1...1, "0, or 0.1 to 1", canBeOff: true)
}
