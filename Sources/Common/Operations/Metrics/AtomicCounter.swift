internal import Synchronization

/// A counter that any thread may increase at any time.
///
/// Runs per frame: no allocation, lock, log or await.
public final class AtomicCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  public init() {}

  public var value: UInt64 { count.load(ordering: .relaxed) }

  public func add(_ amount: UInt64 = 1) {
    count.wrappingAdd(amount, ordering: .relaxed)
  }
}
