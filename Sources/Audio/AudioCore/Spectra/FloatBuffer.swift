internal import CKernels

/// A fixed number of floats, initially zero, in memory that the buffer owns.
package struct FloatBuffer: ~Copyable {
  package let start: UnsafeMutablePointer<Float>
  package let count: Int

  package init(_ count: Int) {
    self.count = count
    start = .allocate(capacity: count)
    start.initialize(repeating: 0, count: count)
  }

  deinit { start.deallocate() }

  /// Copies the values of a buffer of the same size.
  package func copy(_ other: borrowing FloatBuffer) {
    precondition(count == other.count)
    start.update(from: other.start, count: count)
  }

  /// Sets all values to zero.
  package func clear() { start.update(repeating: 0, count: count) }

  /// Returns the mean square of the values in a range.
  package func meanSquare(_ range: Range<Int>) -> Float {
    Self.meanSquare(start + range.lowerBound, range.count)
  }

  /// Returns the mean square of `count` values.
  package static func meanSquare(_ values: UnsafePointer<Float>, _ count: Int) -> Float {
    Kernels.best.table.sum_of_squares(values, Int32(count)) / Float(max(1, count))
  }

  /// Returns the mean of `count` values.
  package static func mean(_ values: UnsafePointer<Float>, _ count: Int) -> Float {
    // Eight sums at once: each addition to a single sum would wait for the one before.
    var sums = SIMD8<Float>()
    var index = 0
    while index + 8 <= count {
      sums += UnsafeRawPointer(values + index).loadUnaligned(as: SIMD8<Float>.self)
      index += 8
    }
    var sum = sums.sum()
    while index < count {
      sum += values[index]
      index += 1
    }
    return sum / Float(max(1, count))
  }

  /// Returns the sum of the products of `count` values with `count` others.
  package static func product(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ count: Int
  ) -> Float {
    var sums = SIMD8<Float>()
    var index = 0
    while index + 8 <= count {
      sums +=
        UnsafeRawPointer(left + index).loadUnaligned(as: SIMD8<Float>.self)
        * UnsafeRawPointer(right + index).loadUnaligned(as: SIMD8<Float>.self)
      index += 8
    }
    var sum = sums.sum()
    while index < count {
      sum += left[index] * right[index]
      index += 1
    }
    return sum
  }
}
