internal import AudioCore
internal import CEngineWeights
internal import CKernels
internal import LinuxSystem

/// The turn network, whose outputs are scores. `training/turns/network.py` is the same in PyTorch.
struct TurnNetwork: ~Copyable {
  private let kernels = Kernels.best
  private let network: RecurrentNetwork

  init() { network = RecurrentNetwork(weights: Self.weights, kernels: kernels) }

  /// The weights of the executable, read once. A test reads them too, so that they are never damaged.
  private static let weights: RecurrentNetwork.Weights = {
    do {
      return try .init(
        WeightFile(bytes), named: "turns", inputs: TurnFeatures.count, hidden: 32, state: 128,
        outputs: 5)
    } catch {
      preconditionFailure("the weights of the turn network cannot be read: \(error)")
    }
  }()

  private static var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cew_turn_weights(), count: cew_turn_weights_size())
  }

  /// The SHA-256 digest of the weights, in hexadecimal.
  static let hash = SHA256.hexadecimal(SHA256.digest(of: bytes))

  /// Returns the scores of a frame with these features. Runs per frame: no allocation, lock, log or
  /// await.
  func process(_ features: UnsafePointer<Float>) -> TurnScores {
    network.process(features)
    let output = network.output
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

extension SessionConfiguration.Turns {
  /// The SHA-256 digest, in hexadecimal, of the weights of the network that finds turns.
  package static var weights: String { TurnNetwork.hash }
}
