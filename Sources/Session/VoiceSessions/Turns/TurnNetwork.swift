internal import AudioCore
internal import CEngineWeights
internal import CKernels

/// The turn network: a layer, a GRU and a layer of scores. `training/turns/network.py` is the same
/// in PyTorch.
struct TurnNetwork: ~Copyable {
  static let inputCount = TurnFeatures.count
  static let hiddenCount = 32
  static let stateCount = 64
  private static let gates = 3 * stateCount

  private let weights: Weights
  private let kernels = Kernels.best
  private let memory: FloatBuffer
  private let hidden: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  private let inputGates: UnsafeMutablePointer<Float>
  private let stateGates: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>

  init() {
    weights = Weights.embedded
    memory = FloatBuffer(Self.hiddenCount + Self.stateCount + 2 * Self.gates + Kernels.width)
    hidden = memory.start
    state = hidden + Self.hiddenCount
    inputGates = state + Self.stateCount
    stateGates = inputGates + Self.gates
    output = stateGates + Self.gates
  }

  /// Returns the scores of a frame with these features. Runs per frame: no allocation, lock, log or
  /// await.
  func process(_ features: UnsafePointer<Float>) -> TurnScores {
    weights.enter.apply(to: features, into: hidden, kernels)
    kernels.table.hyperbolic_tangent(hidden, hidden, Int32(Self.hiddenCount))
    weights.fromInput.apply(to: hidden, into: inputGates, kernels)
    weights.fromState.apply(to: state, into: stateGates, kernels)
    kernels.table.gru(inputGates, stateGates, state, Int32(Self.stateCount))
    weights.leave.apply(to: state, into: output, kernels)
    kernels.table.exponential(output, output, Int32(Kernels.width))
    let sum = output[0] + output[1] + output[2] + output[3]
    return TurnScores(
      speech: output[1] / sum, backchannel: output[2] / sum, notSpeech: output[3] / sum,
      end: output[4] / (1 + output[4]))
  }
}

/// The probabilities that the turn network gives a frame.
package struct TurnScores: Sendable, Equatable {
  /// That this frame has speech, a backchannel or a laugh, or the sound of something else, such as
  /// a cough or a key. The rest to 1 is silence, steady noise or echo.
  package var speech: Float
  package var backchannel: Float
  package var notSpeech: Float
  /// That the turn has ended. Of use in a pause alone.
  package var end: Float

  /// The probability of a voice.
  package var voice: Float { speech + backchannel }
}

// MARK: Weights

extension TurnNetwork {
  /// The weights, shared by all networks.
  private final class Weights: Sendable {
    let enter: Layer
    let fromInput: Layer
    let fromState: Layer
    let leave: Layer

    /// The weights of the executable, read once. A test reads them too, so that they are never
    /// damaged.
    static let embedded: Weights = {
      do {
        let bytes = UnsafeRawBufferPointer(
          start: cew_turn_weights(), count: cew_turn_weights_size())
        return try Weights(WeightFile(bytes))
      } catch {
        preconditionFailure("the weights of the turn network cannot be read: \(error)")
      }
    }()

    init(_ file: WeightFile) throws(WeightFile.Fault) {
      let (hidden, state) = (TurnNetwork.hiddenCount, TurnNetwork.stateCount)
      enter = try file.layer("turns.enter", "", hidden, TurnNetwork.inputCount)
      fromInput = try file.layer("turns.remember", "_ih_l0", TurnNetwork.gates, hidden)
      fromState = try file.layer("turns.remember", "_hh_l0", TurnNetwork.gates, state)
      leave = try file.layer("turns.leave", "", 5, state)
    }
  }
}
