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
    // Eight sums at once: one after another they would wait for each other.
    var sums = SIMD8<Float>()
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      let values = UnsafeRawPointer(start + index).loadUnaligned(as: SIMD8<Float>.self)
      sums += values * values
      index += 8
    }
    var sum = sums.sum()
    while index < range.upperBound {
      sum += start[index] * start[index]
      index += 1
    }
    return sum / Float(max(1, range.count))
  }
}
