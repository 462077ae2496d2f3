internal import AudioCore
internal import CKernels

/// The network that keeps one voice and removes all others: a layer, a GRU, and a layer of gains for
/// the bands and of the probability that the kept voice talks. `training/isolation/network.py`
/// defines the same network.
struct IsolationNetwork: ~Copyable {
  private static let inputCount = IsolationFeatures.count + VoiceLikeness.count
  private static let hiddenCount = 96
  private static let stateCount = 128
  private static let gatesCount = 3 * stateCount
  private static let outputCount = Bands.count + 1

  private let weights: Weights
  private let kernels: Kernels
  private let memory: FloatBuffer
  private let inputs: UnsafeMutablePointer<Float>
  private let hidden: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  private let inputGates: UnsafeMutablePointer<Float>
  private let stateGates: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>

  init(weights: Weights, kernels: Kernels) {
    self.weights = weights
    self.kernels = kernels
    let inputCount = Kernels.padded(Self.inputCount)
    memory = FloatBuffer(
      inputCount + Self.hiddenCount + Self.stateCount + 2 * Self.gatesCount
        + Kernels.padded(Self.outputCount))
    inputs = memory.start
    hidden = inputs + inputCount
    state = hidden + Self.hiddenCount
    inputGates = state + Self.stateCount
    stateGates = inputGates + Self.gatesCount
    output = stateGates + Self.gatesCount
  }

  /// The gains of the bands for the last frame.
  var gains: UnsafePointer<Float> { UnsafePointer(output) }

  /// The probability that the kept voice talks in the last frame.
  var probability: Float { output[Bands.count] }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  func reset() { state.update(repeating: 0, count: Self.stateCount) }

  /// Sets all gains and the probability to 1. Runs per frame: no allocation, lock, log or await.
  func open() { output.update(repeating: 1, count: Self.outputCount) }

  /// Computes gains and probability from `IsolationFeatures` and `VoiceLikeness`. Runs per frame: no
  /// allocation, lock, log or await.
  func process(_ features: UnsafePointer<Float>, likeness: UnsafePointer<Float>) {
    inputs.update(from: features, count: IsolationFeatures.count)
    (inputs + IsolationFeatures.count).update(from: likeness, count: VoiceLikeness.count)
    weights.enter.apply(to: inputs, into: hidden, kernels)
    kernels.table.hyperbolic_tangent(hidden, hidden, Int32(Self.hiddenCount))
    weights.fromInput.apply(to: hidden, into: inputGates, kernels)
    weights.fromState.apply(to: state, into: stateGates, kernels)
    kernels.table.gru(inputGates, stateGates, state, Int32(Self.stateCount))
    weights.leave.apply(to: state, into: output, kernels)
    kernels.table.sigmoid(output, output, Int32(Kernels.padded(Self.outputCount)))
  }
}

// MARK: Weights

extension IsolationNetwork {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let enter: Layer
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let leave: Layer

    init(_ file: WeightFile) throws(WeightFile.Fault) {
      let (hidden, state) = (IsolationNetwork.hiddenCount, IsolationNetwork.stateCount)
      let gates = IsolationNetwork.gatesCount
      enter = try file.layer("isolation.enter", "", hidden, IsolationNetwork.inputCount)
      fromInput = try file.layer("isolation.remember", "_ih_l0", gates, hidden)
      fromState = try file.layer("isolation.remember", "_hh_l0", gates, state)
      leave = try file.layer("isolation.leave", "", IsolationNetwork.outputCount, state)
    }
  }
}
