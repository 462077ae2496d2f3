internal import AudioCore

/// A prediction of one signal from another by five taps, with least squares.
struct ShortPrediction: ~Copyable {
  static let tapCount = 5
  /// The samples on each side of the tap in the middle.
  static let reach = tapCount / 2

  private static let width = tapCount + 1
  /// The factor of the diagonal, which keeps the equations solvable for a tone.
  private static let regularization = 1 + 1e-6

  /// The normal equations, row by row, each with its right side.
  private let equations: UnsafeMutablePointer<Double>

  init() {
    equations = .allocate(capacity: Self.tapCount * Self.width)
    equations.initialize(repeating: 0, count: Self.tapCount * Self.width)
  }

  deinit { equations.deallocate() }

  /// Returns the part of the power of `target` that the best prediction leaves, 0...1. The tap in the
  /// middle reads `source`, and `reach` samples before and after it must exist. Runs per frame: no
  /// allocation, lock, log or await.
  func partLeft(
    of target: UnsafePointer<Float>, from source: UnsafePointer<Float>, count: Int
  ) -> Double {
    let power = Double(FloatBuffer.product(target, target, count))
    // The comparison is false for a value that is not a number.
    guard power > 0 else { return 1 }
    let first = source + Self.reach
    for row in 0..<Self.tapCount {
      for column in row..<Self.tapCount {
        let value = Double(FloatBuffer.product(first - row, first - column, count))
        equations[row * Self.width + column] = value
        equations[column * Self.width + row] = value
      }
      equations[row * Self.width + row] *= Self.regularization
      equations[row * Self.width + Self.tapCount] = Double(
        FloatBuffer.product(first - row, target, count))
    }
    guard solve() else { return 1 }
    var left = 0.0
    for index in 0..<count {
      var error = Double(target[index])
      for tap in 0..<Self.tapCount {
        error -= equations[tap * Self.width + Self.tapCount] * Double(first[index - tap])
      }
      left += error * error
    }
    return left / power
  }

  /// Solves the equations: their right sides become the taps. Needs no pivots, as the matrix is positive
  /// definite. Returns whether there is a solution.
  private func solve() -> Bool {
    for row in 0..<Self.tapCount {
      let pivot = equations[row * Self.width + row]
      guard pivot > 0 else { return false }
      for column in row..<Self.width { equations[row * Self.width + column] /= pivot }
      for other in 0..<Self.tapCount where other != row {
        let factor = equations[other * Self.width + row]
        for column in row..<Self.width {
          equations[other * Self.width + column] -= factor * equations[row * Self.width + column]
        }
      }
    }
    return true
  }
}
