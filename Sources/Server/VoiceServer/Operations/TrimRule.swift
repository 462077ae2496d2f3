/// The rule for when to trim memory: soon after the process has grown, and otherwise at intervals,
/// because memory that is freed later does not show as growth.
struct TrimRule {
  /// The growth in bytes after which the next check trims memory.
  static let growth = 2 << 20
  /// The time after which memory is trimmed even if the process has not grown.
  static let longestInterval = Duration.seconds(5)

  private let checkInterval: Duration
  private var smallest = Int.max
  private var sinceTrim = Duration.zero

  init(checkInterval: Duration) {
    self.checkInterval = checkInterval
  }

  /// Returns whether to trim memory now. Call this at each check, with the size of the process in
  /// bytes.
  mutating func isDue(resident: Int) -> Bool {
    smallest = min(smallest, resident)
    sinceTrim += checkInterval
    return resident - smallest >= Self.growth || sinceTrim >= Self.longestInterval
  }

  /// Records that memory has been trimmed, and the size of the process in bytes afterwards.
  mutating func recordTrim(resident: Int) {
    smallest = resident
    sinceTrim = .zero
  }
}
