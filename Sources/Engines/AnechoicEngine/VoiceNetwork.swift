internal import AudioCore
internal import CKernels

/// The voice activity network: a GRU and a linear layer behind the mask network, whose full-band
/// state and bottleneck are its inputs. Its training data contain more noise, music and echo
/// without a voice than calls do. `training/voice_network.py` trains it.
struct VoiceNetwork: ~Copyable {
  static let stateCount = 32
  private static let gates = 3 * stateCount
  /// The features that are inputs as well, averaged over groups of bands: the level of the error,
  /// the coherence and the level above the noise floor.
  private static let features = [0, 4, 5]
  private static let bandsOfGroup = 4
  private static let groups = Bands.count / bandsOfGroup

  private let weights: Weights
  private let kernels: Kernels
  private let memory: FloatBuffer
  /// The state, and behind it the inputs.
  let state: UnsafeMutablePointer<Float>
  private let inputs: UnsafeMutablePointer<Float>
  private let inputGates: UnsafeMutablePointer<Float>
  private let stateGates: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>

  init(weights: Weights, kernels: Kernels) {
    self.weights = weights
    self.kernels = kernels
    memory = FloatBuffer(
      Self.stateCount + Kernels.padded(weights.inputs) + 2 * Self.gates + Kernels.width)
    state = memory.start
    inputs = state + Self.stateCount
    inputGates = inputs + Kernels.padded(weights.inputs)
    stateGates = inputGates + Self.gates
    output = stateGates + Self.gates
  }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  func reset() { state.update(repeating: 0, count: Self.stateCount) }

  /// Returns the probability of a near voice, from the full-band state of the mask network after a
  /// frame, the bottleneck before it, each of `count` values, and the features. Runs per frame: no
  /// allocation, lock, log or await.
  func process(
    _ fullBandState: UnsafePointer<Float>, _ bottleneck: UnsafePointer<Float>, count: Int,
    _ rows: BandRows
  ) -> Float {
    inputs.update(from: fullBandState, count: count)
    (inputs + count).update(from: bottleneck, count: count)
    var place = inputs + 2 * count
    for feature in Self.features {
      let row = rows.row(feature)
      for group in 0..<Self.groups {
        var sum: Float = 0
        for band in 0..<Self.bandsOfGroup { sum += row[group * Self.bandsOfGroup + band] }
        place[group] = sum / Float(Self.bandsOfGroup)
      }
      place += Self.groups
    }
    weights.fromInput.apply(to: inputs, into: inputGates, kernels)
    weights.fromState.apply(to: state, into: stateGates, kernels)
    kernels.table.gru(inputGates, stateGates, state, Int32(Self.stateCount))
    weights.outputLayer.apply(to: state, into: output, kernels)
    kernels.table.sigmoid(output, output, Int32(Kernels.width))
    return output[0]
  }
}

// MARK: Weights

extension VoiceNetwork {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let inputs: Int
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let outputLayer: Layer

    /// Reads the weights of a network whose mask network has a full-band state of `count` values.
    /// In the file, `voice.remember` is the GRU and `voice.leave` the output layer.
    init(_ file: WeightFile, count: Int) throws(WeightFile.FormatError) {
      let (stateCount, gates) = (VoiceNetwork.stateCount, VoiceNetwork.gates)
      let inputs = 2 * count + VoiceNetwork.features.count * VoiceNetwork.groups
      self.inputs = inputs
      fromInput = try file.layer("voice.remember", "_ih_l0", gates, inputs)
      fromState = try file.layer("voice.remember", "_hh_l0", gates, stateCount)
      outputLayer = try file.layer("voice.leave", "", 1, stateCount + count)
    }
  }
}
