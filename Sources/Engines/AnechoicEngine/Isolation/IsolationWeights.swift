internal import AudioCore
internal import CEngineWeights
internal import VoiceEngines

/// The weights of the networks that isolate a voice, which are part of the executable.
final class IsolationWeights: Sendable {
  /// Read once, by the first engine.
  private static let embedded = Result<IsolationWeights, WeightFile.FormatError> {
    () throws(WeightFile.FormatError) in try IsolationWeights(WeightFile(bytes))
  }

  /// The file of the executable.
  static var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cew_isolation_weights(), count: cew_isolation_weights_size())
  }

  /// Returns the weights of the executable.
  static func get() throws(EngineError) -> IsolationWeights {
    do {
      return try embedded.get()
    } catch {
      throw EngineError("the weights of the isolation of a voice cannot be read: \(error)")
    }
  }

  let encoder: RecurrentNetwork.Weights
  let network: RecurrentNetwork.Weights

  init(_ file: WeightFile) throws(WeightFile.FormatError) {
    encoder = try VoiceEncoder.weights(file)
    network = try IsolationNetwork.weights(file)
  }
}
