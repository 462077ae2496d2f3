/// Values that wait for their sample, in its order. Allocates nothing.
public struct WaitingValues<Value: Sendable>: Sendable {
  /// More values than these cannot wait: the last ones take the place of those before them.
  private static var capacity: Int { 8 }

  private var waiting = InlineArray<8, (value: Value, distance: Int)?>(repeating: nil)
  private var count = 0

  public init() {}

  public var isEmpty: Bool { count == 0 }

  /// The number of samples before the first value. Nil if none waits.
  public var distance: Int? { waiting[0]?.distance }

  /// Adds a value that is due after `samples`, and not before those that wait.
  public mutating func add(_ value: Value, after samples: Int) {
    let last = count == 0 ? 0 : waiting[count - 1]?.distance ?? 0
    // Of values that are due at the same sample, the last one counts.
    if count == 0 || samples > last && count < Self.capacity { count += 1 }
    waiting[count - 1] = (value, max(samples, last))
  }

  /// Takes out the first value if it is due within `samples`. Returns it with its distance, which is 0
  /// for a value that is late. Runs per frame: no allocation, lock, log or await.
  public mutating func popFirst(within samples: Int) -> (value: Value, distance: Int)? {
    guard let first = waiting[0], first.distance < samples else { return nil }
    for index in 1..<count { waiting[index - 1] = waiting[index] }
    count -= 1
    waiting[count] = nil
    return (first.value, max(first.distance, 0))
  }

  /// Moves on by `samples`. Runs per frame: no allocation, lock, log or await.
  public mutating func advance(by samples: Int) {
    for index in 0..<count { waiting[index]?.distance -= samples }
  }
}
