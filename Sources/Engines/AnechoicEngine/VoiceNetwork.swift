internal import AudioCore
internal import CKernels

/// The network that decides whether the near end talks: a recurrent layer behind the suppressor.
/// Its input is the memory of the suppressor. It learned from more noise, music and echo without a
/// voice than a call has. `training/voice_network.py` trains it.
struct VoiceNetwork: ~Copyable {
  static let memory = 32
  private static let gates = 3 * memory
  /// The features that are heard as well, each the mean of groups of bands: the error's level, the coherence
  /// and the level above the floor.
  private static let features = [0, 4, 5]
  private static let bandsOfGroup = 4
  private static let groups = Bands.count / bandsOfGroup

  private let weights: Weights
  private let kernels: Kernels
  private let memory: FloatBuffer
  /// The state, and behind it the input.
  let state: UnsafeMutablePointer<Float>
  private let heard: UnsafeMutablePointer<Float>
  private let input: UnsafeMutablePointer<Float>
  private let memorized: UnsafeMutablePointer<Float>
  private let result: UnsafeMutablePointer<Float>

  init(weights: Weights, kernels: Kernels) {
    self.weights = weights
    self.kernels = kernels
    memory = FloatBuffer(
      Self.memory + Kernels.padded(weights.inputs) + 2 * Self.gates + Kernels.width)
    state = memory.start
    heard = state + Self.memory
    input = heard + Kernels.padded(weights.inputs)
    memorized = input + Self.gates
    result = memorized + Self.gates
  }

  /// Forgets the call. Runs per frame: no allocation, lock, log or await.
  func begin() { state.update(repeating: 0, count: Self.memory) }

  /// Returns the probability of a near voice, from the suppressor's state after a frame and the input of its
  /// recurrent layer, each of `count` values, and from the features. Runs per frame: no allocation, lock,
  /// log or await.
  func process(
    _ remembered: UnsafePointer<Float>, _ entered: UnsafePointer<Float>, count: Int,
    _ rows: BandRows
  ) -> Float {
    heard.update(from: remembered, count: count)
    (heard + count).update(from: entered, count: count)
    var place = heard + 2 * count
    for feature in Self.features {
      let row = rows.row(feature)
      for group in 0..<Self.groups {
        var sum: Float = 0
        for band in 0..<Self.bandsOfGroup { sum += row[group * Self.bandsOfGroup + band] }
        place[group] = sum / Float(Self.bandsOfGroup)
      }
      place += Self.groups
    }
    weights.fromInput.apply(to: heard, into: input, kernels)
    weights.fromState.apply(to: state, into: memorized, kernels)
    kernels.table.gates(input, memorized, state, Int32(Self.memory))
    weights.leave.apply(to: state, into: result, kernels)
    kernels.table.sigmoid(result, result, Int32(Kernels.width))
    return result[0]
  }
}

// MARK: Weights

extension VoiceNetwork {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let inputs: Int
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let leave: Layer

    /// Reads the weights of a network that hears `count` values of the suppressor's state.
    init(_ file: WeightFile, count: Int) throws(WeightFile.Fault) {
      let (memory, gates) = (VoiceNetwork.memory, VoiceNetwork.gates)
      let inputs = 2 * count + VoiceNetwork.features.count * VoiceNetwork.groups
      func layer(
        _ name: String, _ end: String, _ outputs: Int, _ inputs: Int
      ) throws(WeightFile.Fault) -> Layer {
        Layer(
          weights: try file.values("voice.\(name).weight\(end)", count: outputs * inputs),
          bias: try file.values("voice.\(name).bias\(end)", count: outputs),
          inputsOfOneColumn: inputs)
      }
      self.inputs = inputs
      fromInput = try layer("remember", "_ih_l0", gates, inputs)
      fromState = try layer("remember", "_hh_l0", gates, memory)
      leave = try layer("leave", "", 1, memory + count)
    }
  }
}
