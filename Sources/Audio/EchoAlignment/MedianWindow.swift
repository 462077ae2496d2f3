/// A list of numbers that tells its median. Allocates only when it is created.
struct MedianWindow: ~Copyable {
  private let values: UnsafeMutablePointer<Double>
  private let capacity: Int
  private var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    values = .allocate(capacity: capacity)
  }

  deinit { values.deallocate() }

  mutating func forget() { count = 0 }

  mutating func add(_ value: Double) {
    values[count] = value
    count += 1
  }

  /// Returns the median and forgets all numbers when there are as many as the window holds.
  mutating func medianWhenFull() -> Double? {
    guard count == capacity else { return nil }
    count = 0
    return values.median(of: capacity)
  }
}

extension UnsafeMutablePointer<Double> {
  /// Returns the median of the first values, and changes their order (C. A. R. Hoare, "Algorithm
  /// 65: Find").
  func median(of count: Int) -> Double {
    let wanted = count / 2
    var (low, high) = (0, count - 1)
    while low < high {
      let pivot = self[(low + high) / 2]
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while pivot < self[right] { right -= 1 }
        guard left <= right else { break }
        (self[left], self[right]) = (self[right], self[left])
        left += 1
        right -= 1
      }
      if right < wanted { low = left }
      if wanted < left { high = right }
    }
    return self[wanted]
  }
}
