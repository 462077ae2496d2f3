internal import AudioCore
internal import CKernels

/// The network that keeps one voice and removes all others: its outputs are gains for the bands and
/// the probability that the kept voice talks. `training/isolation/network.py` defines the same
/// network.
struct IsolationNetwork: ~Copyable {
  private static let inputCount = IsolationFeatures.count + VoiceLikeness.count
  private static let outputCount = Bands.count + 1

  private let kernels: Kernels
  private let inputs = FloatBuffer(inputCount)
  private let network: RecurrentNetwork

  /// Reads the weights.
  static func weights(_ file: WeightFile) throws(WeightFile.FormatError) -> RecurrentNetwork.Weights
  {
    try .init(
      file, named: "isolation", inputs: inputCount, hidden: 96, state: 128, outputs: outputCount)
  }

  init(weights: RecurrentNetwork.Weights, kernels: Kernels) {
    self.kernels = kernels
    network = RecurrentNetwork(weights: weights, kernels: kernels)
  }

  /// The gains of the bands for the last frame.
  var gains: UnsafePointer<Float> { UnsafePointer(network.output) }

  /// The probability that the kept voice talks in the last frame.
  var probability: Float { network.output[Bands.count] }

  /// Resets the state. Runs per frame: no allocation, lock, log or await.
  func reset() { network.reset() }

  /// Sets all gains and the probability to 1. Runs per frame: no allocation, lock, log or await.
  func open() { network.output.update(repeating: 1, count: Self.outputCount) }

  /// Computes gains and probability from `IsolationFeatures` and `VoiceLikeness`. Runs per frame: no
  /// allocation, lock, log or await.
  func process(_ features: UnsafePointer<Float>, likeness: UnsafePointer<Float>) {
    inputs.start.update(from: features, count: IsolationFeatures.count)
    (inputs.start + IsolationFeatures.count).update(from: likeness, count: VoiceLikeness.count)
    network.process(inputs.start)
    let padded = Int32(Kernels.padded(Self.outputCount))
    kernels.table.sigmoid(network.output, network.output, padded)
  }
}
