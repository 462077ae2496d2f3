internal import Synchronization

/// A number that any thread may set at any time.
public final class AtomicGauge: Sendable {
  private let bits: Atomic<UInt64>

  public init(_ value: Double = 0) { bits = Atomic(value.bitPattern) }

  public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  public func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  public func add(_ amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (exchanged, original) = bits.weakCompareExchange(
        expected: old, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = original
    }
  }
}
