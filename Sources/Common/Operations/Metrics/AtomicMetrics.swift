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

/// A histogram that any thread may add to at any time. Values are whole multiples of a `step`, such
/// as nanoseconds of a histogram in seconds.
///
/// Runs per frame: no allocation, lock, log or await. Sendable is unchecked because the counts are
/// atomics in memory that this object owns.
public final class AtomicHistogram: @unchecked Sendable {
  /// The counts of a histogram at one time.
  public struct Snapshot: Sendable, Equatable {
    /// The values up to each bound, and all values at the end.
    public var cumulative: [UInt64]
    /// The sum of all values in the unit of the bounds.
    public var sum: Double

    public var count: UInt64 { cumulative.last ?? 0 }
  }

  /// The upper bounds of the classes, without infinity.
  public let bounds: [Double]
  private let step: Double
  private let limits: UnsafeMutableBufferPointer<UInt64>
  private let counts: UnsafeMutablePointer<Atomic<UInt64>>
  private let total = Atomic<UInt64>(0)

  /// Creates a histogram. A value that is passed to `record` counts `step` times as much in the unit
  /// of the bounds.
  public init(bounds: [Double], step: Double) {
    self.bounds = bounds
    self.step = step
    limits = .allocate(capacity: bounds.count)
    _ = limits.initialize(from: bounds.map { UInt64(($0 / step).rounded()) })
    counts = .allocate(capacity: bounds.count + 1)
    for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    limits.deallocate()
    counts.deinitialize(count: bounds.count + 1)
    counts.deallocate()
  }

  /// Adds a value `times` times.
  public func record(_ value: UInt64, times: UInt64 = 1) {
    var index = 0
    while index < limits.count, limits[index] < value { index += 1 }
    counts[index].wrappingAdd(times, ordering: .relaxed)
    total.wrappingAdd(value &* times, ordering: .relaxed)
  }

  /// The sum of all recorded values, in steps.
  public var sumInSteps: UInt64 { total.load(ordering: .relaxed) }

  public var snapshot: Snapshot {
    var cumulative: [UInt64] = []
    var seen: UInt64 = 0
    for index in 0...bounds.count {
      seen += counts[index].load(ordering: .relaxed)
      cumulative.append(seen)
    }
    return Snapshot(cumulative: cumulative, sum: Double(sumInSteps) * step)
  }
}
