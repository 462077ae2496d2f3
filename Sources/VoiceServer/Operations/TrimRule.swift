/// Decides when memory is trimmed: soon after the process has grown, and otherwise once in a while,
/// because memory that is freed later does not show as growth.
struct TrimRule {
  /// The growth after which memory is trimmed at the next check, in bytes.
  static let growth = 2 << 20
  /// The time after which memory is trimmed although the process has not grown.
  static let longestInterval = Duration.seconds(5)

  private let checkInterval: Duration
  private var smallest = Int.max
  private var sinceTrim = Duration.zero

  init(checkInterval: Duration) {
    self.checkInterval = checkInterval
  }

  /// Returns whether memory is to be trimmed now. To be asked at each check, with the memory in bytes
  /// that the process holds.
  mutating func isDue(resident: Int) -> Bool {
    smallest = min(smallest, resident)
    sinceTrim += checkInterval
    return resident - smallest >= Self.growth || sinceTrim >= Self.longestInterval
  }

  /// Notes that memory has been trimmed, and what the process holds now.
  mutating func noteTrim(resident: Int) {
    smallest = resident
    sinceTrim = .zero
  }
}
