#if canImport(Glibc)
  internal import Glibc
#endif
internal import AudioCore
internal import CKernels

/// A small GRU, the same for each bin, that controls how fast the filter adapts there. The idea is
/// that of D. Yang et al., "Low-complexity acoustic echo cancellation with neural Kalman filtering"
/// (2023); here the network estimates the observation noise and the process noise of a Kalman
/// filter with many partitions.
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
    /// The expected power of the error, from the filter's uncertainty.
    let expected: UnsafeMutablePointer<Float>
  }

  private static let offset: Float = 1e-7
  private static let limits: ClosedRange<Float> = -8...6
  /// The largest magnitude of a feature.
  private static let limit: Float = 8

  private let kernels: Kernels
  private let weights: AdaptationWeights
  private let bins: Int
  private let count: Int
  private let work: FloatArena
  private let memory: FloatBuffer
  /// The state of the bins, part by part.
  private let state: UnsafeMutablePointer<Float>
  // Results of one frame.
  private let features: UnsafeMutablePointer<Float>
  private let logarithms: UnsafeMutablePointer<Float>
  private let results: PartResults
  private let parts: [Part]
  private let featureRows: RowTable

  /// The results for a part of the bins, and the bias of the first layer.
  private struct PartResults {
    let bias: UnsafeMutablePointer<Float>
    let hiddenInput: UnsafeMutablePointer<Float>
    let fromInput: UnsafeMutablePointer<Float>
    let fromState: UnsafeMutablePointer<Float>
    let outputs: UnsafeMutablePointer<Float>

    init(_ work: inout FloatArena) {
      let hidden = AdaptationWeights.hidden
      bias = work.array(hidden)
      hiddenInput = work.array(hidden * Part.most)
      fromInput = work.array(3 * hidden * Part.most)
      fromState = work.array(3 * hidden * Part.most)
      outputs = work.array(AdaptationWeights.outputs * Part.most)
    }
  }

  /// Bins that go through all layers together, so that the results between the layers stay small.
  private final class Part {
    static let most = 48

    let bins: Range<Int>
    let stateRows: RowTable
    let hiddenInputRows: RowTable

    init(
      _ bins: Range<Int>, state: UnsafeMutablePointer<Float>,
      hiddenInput: UnsafeMutablePointer<Float>
    ) {
      self.bins = bins
      let hidden = AdaptationWeights.hidden
      stateRows = RowTable(state + hidden * bins.lowerBound, count: hidden, stride: bins.count)
      hiddenInputRows = RowTable(hiddenInput, count: hidden, stride: bins.count)
    }
  }

  /// Creates the state of a filter. `work` is memory that others may use between frames.
  init(bins: Int, weights: AdaptationWeights, kernels: Kernels, work: FloatArena) {
    self.bins = bins
    self.weights = weights
    self.kernels = kernels
    let count = Kernels.padded(bins)
    self.count = count
    let (features, hidden) = (AdaptationWeights.features, AdaptationWeights.hidden)
    memory = FloatBuffer(hidden * count)
    state = memory.start
    var work = work
    self.features = work.array(features * count)
    // The logarithms have become features when the layers begin.
    var layerWork = work
    logarithms = work.array(7 * count)
    results = PartResults(&layerWork)
    self.work = work
    featureRows = RowTable(self.features, count: features, stride: count)
    parts = stride(from: 0, to: count, by: Part.most).map { [state, results] first in
      Part(
        first..<min(first + Part.most, count), state: state,
        hiddenInput: results.hiddenInput)
    }
  }

  /// Resets the state.
  mutating func reset() { memory.clear() }

  /// Estimates the noise terms of a frame.
  ///
  /// - Parameters:
  ///   - scale: The power of a bin divided by that of the same sound at 16 kHz.
  ///   - noise: Receives the observation noise, as a factor of the power of the error.
  ///   - processNoise: Receives the process noise, as a factor by which the uncertainty grows.
  mutating func decide(
    _ findings: Findings, scale: Float, noise: UnsafeMutablePointer<Float>,
    processNoise: UnsafeMutablePointer<Float>
  ) {
    computeFeatures(findings, scale)
    addMeansToBias()
    for part in parts {
      let first = part.bins.lowerBound
      decide(part, noise: noise + first, processNoise: processNoise + first)
    }
  }

  private func decide(
    _ part: Part, noise: UnsafeMutablePointer<Float>, processNoise: UnsafeMutablePointer<Float>
  ) {
    let (first, columns) = (part.bins.lowerBound, part.bins.count)
    let hidden = AdaptationWeights.hidden
    let values = Int32(hidden * columns)
    weights.inputLayer.apply(
      to: featureRows, from: first, columns: columns, bias: results.bias, into: results.fromState,
      stride: columns, kernels)
    kernels.table.hyperbolic_tangent(results.fromState, results.hiddenInput, values)
    weights.fromInput.apply(
      to: part.hiddenInputRows, columns: columns, into: results.fromInput, stride: columns, kernels)
    weights.fromState.apply(
      to: part.stateRows, columns: columns, into: results.fromState, stride: columns, kernels)
    kernels.table.gru(results.fromInput, results.fromState, state + hidden * first, values)
    weights.outputLayer.apply(
      to: part.stateRows, columns: columns, into: results.outputs, stride: columns, kernels)
    for index in 0..<(2 * columns) {
      results.outputs[index] = min(
        max(results.outputs[index], Self.limits.lowerBound), Self.limits.upperBound)
    }
    kernels.table.exponential(results.outputs, noise, Int32(columns))
    kernels.table.exponential(results.outputs + columns, processNoise, Int32(columns))
  }

  private func computeFeatures(_ findings: Findings, _ scale: Float) {
    let error = logarithm(findings.error, scale, 0)
    let microphone = logarithm(findings.microphone, scale, 1)
    let echo = logarithm(findings.echo, scale, 2)
    let expected = logarithm(findings.expected, scale, 3)
    let smoothError = logarithm(findings.smoothError, scale, 4)
    let smoothEcho = logarithm(findings.smoothEcho, scale, 5)
    let smoothMicrophone = logarithm(findings.smoothMicrophone, scale, 6)
    let first = 1 - 0.25 * log(scale)
    for bin in 0..<count { features[bin] = Self.limited(0.25 * error[bin] + first) }
    // Row by row, so that the compiler makes vectors of each.
    put(error, minus: microphone, 1)
    put(echo, minus: microphone, 2)
    put(expected, minus: error, 3)
    put(error, minus: smoothError, 4)
    put(smoothEcho, minus: smoothMicrophone, 5)
    put(smoothError, minus: smoothMicrophone, 6)
    let (last, cross) = (features + 7 * count, findings.cross)
    let (errors, echoes) = (findings.smoothError, findings.smoothEcho)
    for bin in 0..<count {
      last[bin] = Self.limited(4 * cross[bin] / (errors[bin] * echoes[bin] + 1e-12))
    }
  }

  private func put(
    _ values: UnsafePointer<Float>, minus others: UnsafePointer<Float>, _ row: Int
  ) {
    kernels.table.subtract(values, others, Self.limit, features + row * count, Int32(count))
  }

  @inline(__always)
  private static func limited(_ value: Float) -> Float { min(max(value, -limit), limit) }

  private func logarithm(
    _ powers: UnsafeMutablePointer<Float>, _ scale: Float, _ row: Int
  ) -> UnsafeMutablePointer<Float> {
    let result = logarithms + row * count
    kernels.table.logarithm(powers, Self.offset * scale, result, Int32(count))
    return result
  }

  /// The means of the features over all bins are the same inputs for each bin, so they belong to
  /// the bias of the first layer.
  private func addMeansToBias() {
    let hidden = AdaptationWeights.hidden
    for index in 0..<hidden { results.bias[index] = weights.inputBias[index] }
    weights.inputMeanWeights.withUnsafeBufferPointer { meanWeights in
      for row in 0..<AdaptationWeights.features {
        let mean = FloatBuffer.mean(features + row * count, bins)
        for index in 0..<hidden { results.bias[index] += meanWeights[row * hidden + index] * mean }
      }
    }
  }
}
