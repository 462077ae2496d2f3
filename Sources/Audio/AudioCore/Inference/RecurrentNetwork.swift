internal import CKernels

/// A small recurrent network: a layer with a hyperbolic tangent, a GRU, and an output layer.
package struct RecurrentNetwork: ~Copyable {
  /// The weights, shared by all networks.
  package struct Weights: Sendable {
    fileprivate let enter: Layer
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let leave: Layer
    fileprivate let state: Int

    /// Reads the weights of a network. In the file, `enter` behind its name is the first layer,
    /// `remember` the GRU and `leave` the output layer. `hidden` and `state` are multiples of the
    /// kernels' width.
    package init(
      _ file: WeightFile, named name: String, inputs: Int, hidden: Int, state: Int, outputs: Int
    ) throws(WeightFile.FormatError) {
      enter = try file.layer("\(name).enter", "", hidden, inputs)
      fromInput = try file.layer("\(name).remember", "_ih_l0", 3 * state, hidden)
      fromState = try file.layer("\(name).remember", "_hh_l0", 3 * state, state)
      leave = try file.layer("\(name).leave", "", outputs, state)
      self.state = state
    }
  }

  private let weights: Weights
  private let kernels: Kernels
  private let memory: FloatBuffer
  private let hidden: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  private let inputGates: UnsafeMutablePointer<Float>
  private let stateGates: UnsafeMutablePointer<Float>
  /// The values of the output layer for the last frame, padded for the kernels.
  package let output: UnsafeMutablePointer<Float>

  package init(weights: Weights, kernels: Kernels) {
    self.weights = weights
    self.kernels = kernels
    memory = FloatBuffer(weights.enter.rows + 7 * weights.state + weights.leave.rows)
    hidden = memory.start
    state = hidden + weights.enter.rows
    inputGates = state + weights.state
    stateGates = inputGates + 3 * weights.state
    output = stateGates + 3 * weights.state
  }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  package func reset() { state.update(repeating: 0, count: weights.state) }

  /// Computes the output for a frame. Runs per frame: no allocation, lock, log or await.
  package func process(_ inputs: UnsafePointer<Float>) {
    weights.enter.apply(to: inputs, into: hidden, kernels)
    kernels.table.hyperbolic_tangent(hidden, hidden, Int32(weights.enter.rows))
    weights.fromInput.apply(to: hidden, into: inputGates, kernels)
    weights.fromState.apply(to: state, into: stateGates, kernels)
    kernels.table.gru(inputGates, stateGates, state, Int32(weights.state))
    weights.leave.apply(to: state, into: output, kernels)
  }
}
