internal import AudioCore

/// The prediction of each sample of a frame from six samples before it, by the covariance method
/// (J. Makhoul, "Linear prediction: a tutorial review", 1975).
struct LinearPrediction: ~Copyable {
  private static let order = 6
  /// The samples of a frame.
  static let count = 80

  /// The distance of the samples from which another one is predicted.
  private let spacing: Int
  /// The normal equations.
  private let matrix = FloatBuffer(order * (order + 1))
  private let coefficients = FloatBuffer(order)

  init(spacing: Int) { self.spacing = spacing }

  /// The samples before a frame that `spacing` needs.
  static func past(spacing: Int) -> Int { order * spacing }

  /// Clears the coefficients.
  func clear() { coefficients.clear() }

  /// Returns the mean square of the error of the prediction of a frame. Samples before the frame
  /// must be valid. Runs per frame: no allocation, lock, log or await.
  func residual(_ frame: UnsafePointer<Float>) -> Float {
    var sum = SIMD8<Float>()
    var first = 0
    while first < Self.count {
      var error = Self.eight(frame + first)
      for lag in 1...Self.order {
        error -= coefficients.start[lag - 1] * Self.eight(frame + first - lag * spacing)
      }
      sum += error * error
      first += 8
    }
    return sum.sum() / Float(Self.count)
  }

  @inline(__always)
  private static func eight(_ samples: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Float>.self)
  }

  /// Computes the coefficients that predict a frame best. Runs per frame: no allocation, lock, log
  /// or await.
  ///
  /// - Parameters:
  ///   - frame: The frame. Samples before it must be valid.
  ///   - power: The mean square of the frame.
  func solve(_ frame: UnsafePointer<Float>, power: Float) {
    let (order, width) = (Self.order, Self.order + 1)
    let rows = matrix.start
    func product(_ lag: Int, _ other: Int) -> Float {
      FloatBuffer.product(frame - lag * spacing, frame - other * spacing, Self.count)
    }
    for column in 0..<order {
      rows[column] = product(1, column + 1)
      rows[column * width + order] = product(0, column + 1)
    }
    for row in 1..<order {
      rows[row * width] = rows[row]
      for column in 1..<order {
        // The same sum as one row up and one column left, `spacing` samples later.
        var sum = rows[(row - 1) * width + column - 1]
        let (left, right) = (frame - row * spacing, frame - column * spacing)
        for step in 1...spacing {
          sum += left[-step] * right[-step] - left[Self.count - step] * right[Self.count - step]
        }
        rows[row * width + column] = sum
      }
    }
    // A little noise keeps the equations of pure tones solvable.
    let noise = 1e-5 * power * Float(Self.count) + 1e-9
    for row in 0..<order { rows[row * width + row] += noise }
    eliminate()
  }

  /// Solves the equations by elimination: they are symmetric and positive, and need no pivots.
  private func eliminate() {
    let (order, width) = (Self.order, Self.order + 1)
    let rows = matrix.start
    for pivot in 0..<order {
      for row in (pivot + 1)..<order {
        let factor = rows[row * width + pivot] / rows[pivot * width + pivot]
        for column in pivot...order {
          rows[row * width + column] -= factor * rows[pivot * width + column]
        }
      }
    }
    for row in stride(from: order - 1, through: 0, by: -1) {
      var sum = rows[row * width + order]
      for column in (row + 1)..<order {
        sum -= rows[row * width + column] * coefficients.start[column]
      }
      coefficients.start[row] = sum / rows[row * width + row]
    }
  }
}
