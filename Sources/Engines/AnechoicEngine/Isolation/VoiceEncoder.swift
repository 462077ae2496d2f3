internal import AudioCore

/// The network that describes a voice: its output for a frame points in the direction of the voice.
/// The longer the output, the more the frame tells about the voice. The voiceprint of a recording is
/// the direction of the sum of all outputs. `training/isolation/network.py` defines the same network.
struct VoiceEncoder: ~Copyable {
  /// The number of values of an output.
  static let count = 64

  private let network: RecurrentNetwork

  /// Reads the weights.
  static func weights(_ file: WeightFile) throws(WeightFile.FormatError) -> RecurrentNetwork.Weights
  {
    try .init(file, named: "encoder", inputs: Bands.count, hidden: 64, state: 96, outputs: count)
  }

  init(weights: RecurrentNetwork.Weights, kernels: Kernels) {
    network = RecurrentNetwork(weights: weights, kernels: kernels)
  }

  /// The output for the last frame: `count` values.
  var direction: UnsafePointer<Float> { UnsafePointer(network.output) }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  func reset() { network.reset() }

  /// Computes the output for a frame from `IsolationFeatures`. Runs per frame: no allocation, lock,
  /// log or await.
  func process(_ features: UnsafePointer<Float>) { network.process(features) }
}
