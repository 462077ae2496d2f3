/// Settings of an engine that wait for their sample.
public struct SettingsQueue {
  /// More settings than these cannot wait: the last ones take the place of those before them.
  private static let capacity = 8

  private var waiting = InlineArray<8, (settings: EngineSettings, distance: Int)>(
    repeating: (EngineSettings(), 0))
  private var count = 0

  public init() {}

  /// Adds settings that are due after `samples`, and not before those that wait.
  public mutating func add(_ settings: EngineSettings, after samples: Int) {
    let last = count == 0 ? 0 : waiting[count - 1].distance
    // Of settings that are due at the same sample, the last ones count.
    if count == 0 || samples > last && count < Self.capacity { count += 1 }
    waiting[count - 1] = (settings, max(samples, last))
  }

  /// Takes out the first settings if they are due within `samples`. Returns them with their distance,
  /// which is 0 for settings that are late. Runs per frame: no allocation, lock, log or await.
  public mutating func popFirst(
    within samples: Int
  ) -> (settings: EngineSettings, distance: Int)? {
    guard count > 0, waiting[0].distance < samples else { return nil }
    let first = waiting[0]
    count -= 1
    for index in 0..<count { waiting[index] = waiting[index + 1] }
    return (first.settings, max(first.distance, 0))
  }

  /// Moves on by `samples`. Runs per frame: no allocation, lock, log or await.
  public mutating func advance(by samples: Int) {
    for index in 0..<count { waiting[index].distance -= samples }
  }
}
