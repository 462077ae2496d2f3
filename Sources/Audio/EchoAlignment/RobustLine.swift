/// A straight line through the last points, of which up to 29 % may be outliers: the slope is the
/// median of the slopes of all pairs (H. Theil, 1950; P. K. Sen, "Estimates of the Regression
/// Coefficient Based on Kendall's Tau", 1968).
///
/// Allocates only when it is created.
struct RobustLine: ~Copyable {
  private(set) var count = 0
  /// The slope of the line; 0 before there are two points.
  private(set) var slope = 0.0
  /// The standard deviation of the points from the line; 0 before there are four points.
  private(set) var deviation = 0.0
  /// The standard error of the slope.
  private(set) var uncertainty = Double.infinity
  private var origin = 0.0  // the x that `level` belongs to
  private var level = 0.0
  private var next = 0
  private let capacity: Int
  private let x: UnsafeMutablePointer<Double>
  private let y: UnsafeMutablePointer<Double>
  private let scratch: UnsafeMutablePointer<Double>

  init(capacity: Int) {
    self.capacity = capacity
    x = .allocate(capacity: capacity)
    y = .allocate(capacity: capacity)
    scratch = .allocate(capacity: capacity * (capacity - 1) / 2)
  }

  deinit {
    x.deallocate()
    y.deallocate()
    scratch.deallocate()
  }

  mutating func forget() {
    count = 0
    next = 0
    slope = 0
    deviation = 0
    uncertainty = .infinity
  }

  /// Adds a point, whose x must be greater than those before, and drops the oldest if there is no
  /// room.
  mutating func add(_ newX: Double, _ newY: Double) {
    x[next] = newX
    y[next] = newY
    next = (next + 1) % capacity
    count = min(count + 1, capacity)
    origin = newX
    fit()
  }

  /// Moves the line and its points.
  mutating func shift(by offset: Double) {
    // Not `+=`: Swift 6.3 crashes on it in a noncopyable type under the thread sanitizer.
    for index in 0..<count { y[index] = y[index] + offset }
    level += offset
  }

  func value(at x: Double) -> Double { level + slope * (x - origin) }

  private mutating func fit() {
    var pairs = 0
    for first in 0..<count {
      for second in (first + 1)..<max(count, first + 1) where x[first] != x[second] {
        scratch[pairs] = (y[second] - y[first]) / (x[second] - x[first])
        pairs += 1
      }
    }
    slope = pairs > 0 ? scratch.median(of: pairs) : 0
    for index in 0..<count { scratch[index] = y[index] + slope * (origin - x[index]) }
    level = scratch.median(of: count)
    var oldest = origin
    for index in 0..<count {
      scratch[index] = abs(y[index] - value(at: x[index]))
      oldest = min(oldest, x[index])
    }
    guard count > 3, origin > oldest else { return uncertainty = .infinity }
    // The standard error of a line through points that are spread evenly; 1.48 makes a standard
    // deviation of the median of normal residuals.
    deviation = 1.48 * scratch.median(of: count)
    uncertainty = deviation * (12 / Double(count)).squareRoot() / (origin - oldest)
  }
}
