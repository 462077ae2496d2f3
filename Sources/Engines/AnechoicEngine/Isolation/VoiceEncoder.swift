internal import AudioCore
internal import CKernels

/// The network that describes a voice: a layer, a GRU, and a layer whose output for a frame points in
/// the direction of the voice. The longer the output, the more the frame tells about the voice. The
/// voiceprint of a recording is the direction of the sum of all outputs.
/// `training/isolation/network.py` defines the same network.
struct VoiceEncoder: ~Copyable {
  /// The number of values of an output.
  static let count = 64
  private static let hiddenCount = 64
  private static let stateCount = 96
  private static let gates = 3 * stateCount

  private let weights: Weights
  private let kernels: Kernels
  private let memory: FloatBuffer
  private let hidden: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  private let inputGates: UnsafeMutablePointer<Float>
  private let stateGates: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>

  init(weights: Weights, kernels: Kernels) {
    self.weights = weights
    self.kernels = kernels
    memory = FloatBuffer(Self.hiddenCount + Self.stateCount + 2 * Self.gates + Self.count)
    hidden = memory.start
    state = hidden + Self.hiddenCount
    inputGates = state + Self.stateCount
    stateGates = inputGates + Self.gates
    output = stateGates + Self.gates
  }

  /// The output for the last frame: `count` values.
  var direction: UnsafePointer<Float> { UnsafePointer(output) }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  func reset() { state.update(repeating: 0, count: Self.stateCount) }

  /// Computes the output for a frame from `IsolationFeatures`. Runs per frame: no allocation, lock,
  /// log or await.
  func process(_ features: UnsafePointer<Float>) {
    weights.enter.apply(to: features, into: hidden, kernels)
    kernels.table.hyperbolic_tangent(hidden, hidden, Int32(Self.hiddenCount))
    weights.fromInput.apply(to: hidden, into: inputGates, kernels)
    weights.fromState.apply(to: state, into: stateGates, kernels)
    kernels.table.gru(inputGates, stateGates, state, Int32(Self.stateCount))
    weights.leave.apply(to: state, into: output, kernels)
  }
}

// MARK: Weights

extension VoiceEncoder {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let enter: Layer
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let leave: Layer

    init(_ file: WeightFile) throws(WeightFile.Fault) {
      let (hidden, state) = (VoiceEncoder.hiddenCount, VoiceEncoder.stateCount)
      enter = try file.layer("encoder.enter", "", hidden, Bands.count)
      fromInput = try file.layer("encoder.remember", "_ih_l0", VoiceEncoder.gates, hidden)
      fromState = try file.layer("encoder.remember", "_hh_l0", VoiceEncoder.gates, state)
      leave = try file.layer("encoder.leave", "", VoiceEncoder.count, state)
    }
  }
}
