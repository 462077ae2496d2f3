internal import AudioCore
internal import VoiceEngines

/// Weights that are part of the executable. They are read once, by the first engine.
struct EmbeddedWeights<Value: Sendable>: Sendable {
  private let result: Result<Value, WeightFile.FormatError>
  /// The words for the weights in an error.
  private let name: String

  init(_ name: String, _ read: () throws(WeightFile.FormatError) -> Value) {
    self.name = name
    result = Result(catching: read)
  }

  func get() throws(EngineError) -> Value {
    do {
      return try result.get()
    } catch {
      throw EngineError("\(name) cannot be read: \(error)")
    }
  }
}
