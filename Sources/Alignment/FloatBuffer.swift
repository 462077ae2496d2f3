/// Zeros at first, in memory that lives as long as this does.
struct FloatBuffer: ~Copyable {
  let start: UnsafeMutablePointer<Float>
  let count: Int

  init(_ count: Int) {
    self.count = count
    start = .allocate(capacity: count)
    start.initialize(repeating: 0, count: count)
  }

  deinit { start.deallocate() }

  func clear() { start.update(repeating: 0, count: count) }

  /// The mean square of some of the values.
  func meanSquare(_ range: Range<Int>) -> Float {
    Self.meanSquare(start + range.lowerBound, range.count)
  }

  static func meanSquare(_ values: UnsafePointer<Float>, _ count: Int) -> Float {
    // Eight sums at once: one after another they would wait for each other.
    var sums = SIMD8<Float>()
    var index = 0
    while index + 8 <= count {
      let eight = UnsafeRawPointer(values + index).loadUnaligned(as: SIMD8<Float>.self)
      sums += eight * eight
      index += 8
    }
    var sum = sums.sum()
    while index < count {
      sum += values[index] * values[index]
      index += 1
    }
    return sum / Float(max(1, count))
  }
}
