internal import AudioCore

/// Finds the samples at which a waveform steps, as it does where a part of the signal is missing.
///
/// Linear prediction by the autocorrelation method (J. Makhoul, "Linear Prediction: A Tutorial Review",
/// 1975) predicts each sample from the ones before it. At a step, the error is far above that of
/// the samples around, and as large as the signal itself.
struct WaveformSteps: ~Copyable {
  /// A step of the waveform.
  struct Step {
    /// The number of samples before the step.
    let sample: Int
    let isUpward: Bool
  }

  private static let order = 10
  /// The lags of the autocorrelation, a multiple of 4.
  private static let lags = 12
  /// The least error of a step, as a factor of the mean error around it, and of the root mean square
  /// of the signal.
  private static let leastOverErrors: Float = 5
  private static let leastOverSignal: Float = 0.5
  /// The mean square, -50 dBFS, below which the signal counts as silent, and the same as a part of the
  /// loudest frame of the last second or so. A voice that is cut off in pauses steps only there.
  private static let leastSquare: Float = 1e-5
  private static let leastShare: Float = 0.03
  /// The part of the loudest power that remains after a frame.
  private static let memory: Float = 0.98

  private let kernels = Kernels.best
  private let size: Int
  /// The last three frames. The steps are found in the middle.
  private let line: FloatBuffer
  private let window: FloatBuffer
  private let windowed: FloatBuffer
  private let errors: FloatBuffer
  private let correlations = FloatBuffer(lags)
  private let coefficients = FloatBuffer(order + 1)
  private let swap = FloatBuffer(order + 1)
  private var loudest: Float = 0
  private var meanError: Float = 0  // of the frame before
  private var first: Int  // the number of samples before the frame in the middle
  private var lastError = -1000  // the sample of the last large error
  /// Whether the frame in the middle is loud enough to show a step.
  private(set) var isLoud = false

  init(rate: SampleRate) {
    size = rate.samplesPerFrame
    line = FloatBuffer(3 * size)
    window = FloatBuffer(3 * size)
    windowed = FloatBuffer(Kernels.padded(3 * size) + Self.lags)
    errors = FloatBuffer(Kernels.padded(size))
    first = -2 * size
    // The window of Welch.
    for index in 0..<window.count {
      let place = (Float(index) + 0.5) / Float(window.count)
      window.start[index] = 4 * place * (1 - place)
    }
  }

  /// Adds a frame, and reports the steps of the frame before. Runs per frame: no allocation, lock, log
  /// or await.
  mutating func process(_ frame: borrowing Frame, _ report: (Step) -> Void) {
    append(frame)
    first += size
    let middle = line.start + size
    let power = FloatBuffer.meanSquare(middle, size)
    loudest = max(loudest * Self.memory, power)
    let around = FloatBuffer.meanSquare(line.start, 3 * size)
    isLoud = around > max(Self.leastSquare, Self.leastShare * loudest) && around < .infinity
    guard isLoud, predict() else {
      meanError = 0
      return
    }
    kernels.filter(middle, coefficients, into: errors)
    var sum: Float = 0
    for index in 0..<size { sum += errors.start[index].magnitude }
    let mean = sum / Float(size)
    let limit = max(
      Self.leastOverErrors * (meanError > 0 ? (mean + meanError) / 2 : mean),
      Self.leastOverSignal * around.squareRoot())
    meanError = mean
    for index in 0..<size where errors.start[index].magnitude > limit {
      let sample = first + index
      // The samples after a step are predicted from the ones before it, and fail too.
      if sample - lastError > Self.order + 2 {
        report(Step(sample: sample, isUpward: errors.start[index] > 0))
      }
      lastError = sample
    }
  }

  private mutating func append(_ frame: borrowing Frame) {
    line.start.update(from: line.start + size, count: 2 * size)
    let target = line.start + 2 * size
    target.update(from: frame.planePointers[0], count: size)
    for channel in 1..<max(1, frame.channelCount) {
      let plane = frame.planePointers[channel]
      for index in 0..<size { target[index] += plane[index] }
    }
  }

  /// Makes the coefficients of the filter that leaves the error of prediction. Returns whether there
  /// are any.
  private mutating func predict() -> Bool {
    let count = line.count
    for index in 0..<count { windowed.start[index] = line.start[index] * window.start[index] }
    kernels.correlate(
      windowed.start, windowed.start, count: windowed.count - Self.lags, into: correlations)
    guard correlations.start[0] > 0 else { return false }
    // The Levinson-Durbin recursion.
    let (r, a) = (correlations.start, coefficients.start)
    var error = r[0] * 1.001
    coefficients.clear()
    a[0] = 1
    for step in 1...Self.order {
      var sum: Float = 0
      for index in 0..<step { sum += a[index] * r[step - index] }
      let reflection = -sum / error
      for index in 0...step { swap.start[index] = a[index] + reflection * a[step - index] }
      a.update(from: swap.start, count: step + 1)
      error *= 1 - reflection * reflection
      guard error > 0 else { return false }
    }
    return true
  }
}
