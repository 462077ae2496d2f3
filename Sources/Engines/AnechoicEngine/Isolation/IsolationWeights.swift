internal import AudioCore
internal import CEngineWeights
internal import VoiceEngines

/// The weights of the networks that isolate a voice, which are part of the executable.
final class IsolationWeights: Sendable {
  private static let embedded = EmbeddedWeights("the weights of the isolation of a voice") {
    () throws(WeightFile.FormatError) in try IsolationWeights(WeightFile(bytes))
  }

  /// The file of the executable.
  static var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cew_isolation_weights(), count: cew_isolation_weights_size())
  }

  /// Returns the weights of the executable.
  static func get() throws(EngineError) -> IsolationWeights { try embedded.get() }

  let encoder: RecurrentNetwork.Weights
  let network: RecurrentNetwork.Weights

  init(_ file: WeightFile) throws(WeightFile.FormatError) {
    encoder = try VoiceEncoder.weights(file)
    network = try IsolationNetwork.weights(file)
  }
}
