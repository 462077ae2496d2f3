#if canImport(Glibc)
  internal import Glibc
#endif
internal import CKernels
internal import Inference
internal import Spectral

/// A small recurrent network, the same for each bin, that decides how fast the filter adapts there.
/// The idea is that of D. Yang et al., "Low-complexity acoustic echo cancellation with neural Kalman
/// filtering" (2023); here the network estimates two quantities of a Kalman filter with many
/// partitions.
struct LearnedAdaptation: ~Copyable {
  /// The findings of the filter in a frame, for each bin.
  struct Findings {
    let error: UnsafeMutablePointer<Float>
    let echo: UnsafeMutablePointer<Float>
    let microphone: UnsafeMutablePointer<Float>
    let smoothError: UnsafeMutablePointer<Float>
    let smoothEcho: UnsafeMutablePointer<Float>
    let smoothMicrophone: UnsafeMutablePointer<Float>
    /// The squared magnitude of the smooth cross-spectrum of error and echo.
    let cross: UnsafeMutablePointer<Float>
    /// The power of the error that the filter's uncertainty lets expect.
    let expected: UnsafeMutablePointer<Float>
  }

  /// The bins up to 8 kHz.
  static let mostBins = 161
  private static let offset: Float = 1e-7
  private static let limits: ClosedRange<Float> = -8...6

  private let kernels: Kernels
  private let weights: AdaptationWeights
  private let bins: Int
  private let count: Int
  private let memory: FloatBuffer
  private let state: UnsafeMutablePointer<Float>
  private let features: UnsafeMutablePointer<Float>
  private let entered: UnsafeMutablePointer<Float>
  private let fromInput: UnsafeMutablePointer<Float>
  private let fromState: UnsafeMutablePointer<Float>
  private let outputs: UnsafeMutablePointer<Float>
  private let logarithms: UnsafeMutablePointer<Float>
  private let bias: UnsafeMutablePointer<Float>

  init(bins: Int, weights: AdaptationWeights, kernels: Kernels) {
    self.bins = bins
    self.weights = weights
    self.kernels = kernels
    count = Kernels.padded(bins)
    let (features, hidden) = (AdaptationWeights.features, AdaptationWeights.hidden)
    let rows = features + 2 * hidden + 2 * 3 * hidden + AdaptationWeights.outputs + 7
    memory = FloatBuffer(rows * count + hidden)
    state = memory.start
    self.features = state + hidden * count
    entered = self.features + features * count
    fromInput = entered + hidden * count
    fromState = fromInput + 3 * hidden * count
    outputs = fromState + 3 * hidden * count
    logarithms = outputs + AdaptationWeights.outputs * count
    bias = logarithms + 7 * count
  }

  /// Forgets everything.
  mutating func reset() { memory.clear() }

  /// Decides about a frame.
  ///
  /// - Parameters:
  ///   - scale: The power of a bin divided by that of the same sound at 16 kHz.
  ///   - noise: Receives the factor by which the power of the error counts as noise.
  ///   - growth: Receives the factor by which the filter's uncertainty grows.
  mutating func decide(
    _ findings: Findings, scale: Float, noise: UnsafeMutablePointer<Float>,
    growth: UnsafeMutablePointer<Float>
  ) {
    makeFeatures(findings, scale)
    addMeans()
    let (table, columns, hidden) = (kernels.table, Int32(count), Int32(AdaptationWeights.hidden))
    let sums = fromState
    table.layer(
      weights.enter, bias, features, sums, hidden, Int32(AdaptationWeights.features), columns)
    table.hyperbolic_tangent(sums, entered, hidden * columns)
    table.layer(
      weights.fromInput, weights.fromInputBias, entered, fromInput, 3 * hidden, hidden, columns)
    table.layer(
      weights.fromState, weights.fromStateBias, state, fromState, 3 * hidden, hidden, columns)
    table.gates(fromInput, fromState, state, hidden * columns)
    table.layer(
      weights.leave, weights.leaveBias, state, outputs, Int32(AdaptationWeights.outputs), hidden,
      columns)
    for index in 0..<(2 * count) {
      outputs[index] = min(max(outputs[index], Self.limits.lowerBound), Self.limits.upperBound)
    }
    table.exponential(outputs, noise, columns)
    table.exponential(outputs + count, growth, columns)
  }

  private func makeFeatures(_ findings: Findings, _ scale: Float) {
    let error = logarithm(findings.error, scale, 0)
    let microphone = logarithm(findings.microphone, scale, 1)
    let echo = logarithm(findings.echo, scale, 2)
    let expected = logarithm(findings.expected, scale, 3)
    let smoothError = logarithm(findings.smoothError, scale, 4)
    let smoothEcho = logarithm(findings.smoothEcho, scale, 5)
    let smoothMicrophone = logarithm(findings.smoothMicrophone, scale, 6)
    let logOfScale = log(scale)
    for bin in 0..<bins {
      set(0, bin, 0.25 * (error[bin] - logOfScale) + 1)
      set(1, bin, error[bin] - microphone[bin])
      set(2, bin, echo[bin] - microphone[bin])
      set(3, bin, expected[bin] - error[bin])
      set(4, bin, error[bin] - smoothError[bin])
      set(5, bin, smoothEcho[bin] - smoothMicrophone[bin])
      set(6, bin, smoothError[bin] - smoothMicrophone[bin])
      let product = findings.smoothError[bin] * findings.smoothEcho[bin] + 1e-12
      set(7, bin, 4 * findings.cross[bin] / product)
    }
  }

  private func logarithm(
    _ powers: UnsafeMutablePointer<Float>, _ scale: Float, _ row: Int
  ) -> UnsafeMutablePointer<Float> {
    let result = logarithms + row * count
    kernels.table.logarithm(powers, Self.offset * scale, result, Int32(count))
    return result
  }

  @inline(__always)
  private func set(_ row: Int, _ bin: Int, _ value: Float) {
    features[row * count + bin] = min(max(value, -8), 8)
  }

  /// The means of the features over all bins are the same inputs for each bin, so they belong to
  /// the bias of the first layer.
  private func addMeans() {
    let rows = AdaptationWeights.features
    for index in 0..<AdaptationWeights.hidden { bias[index] = weights.enterBias[index] }
    for row in 0..<rows {
      var sum: Float = 0
      for bin in 0..<bins { sum += features[row * count + bin] }
      let mean = sum / Float(bins)
      for index in 0..<AdaptationWeights.hidden {
        bias[index] += weights.enterOfMeans[index * rows + row] * mean
      }
    }
  }
}
