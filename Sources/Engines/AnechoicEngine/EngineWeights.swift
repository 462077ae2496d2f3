internal import AudioCore
internal import CEngineWeights
internal import LinuxSystem
internal import VoiceEngines

/// The weights of the engine's networks, which are part of the executable.
final class EngineWeights: Sendable {
  private static let embedded = EmbeddedWeights("the weights of \(AnechoicVoiceEngine.identity)") {
    () throws(WeightFile.FormatError) in try EngineWeights(file())
  }

  private static var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cew_weights(), count: cew_weights_size())
  }

  /// Returns the file of the executable.
  static func file() throws(WeightFile.FormatError) -> WeightFile { try WeightFile(bytes) }

  /// Returns the weights of the executable.
  static func get() throws(EngineError) -> EngineWeights { try embedded.get() }

  /// The state of the full-band GRU after a quiet room. It is computed once, because that costs as
  /// much as a second of a call.
  static let quietRoomState = (try? get()).map { CallAnalysis.quietRoomState($0) }

  let adaptation: AdaptationWeights
  let maskNetwork: MaskNetwork.Weights

  init(_ file: WeightFile) throws(WeightFile.FormatError) {
    adaptation = try AdaptationWeights(file)
    maskNetwork = try MaskNetwork.Weights(file)
  }

  /// The SHA-256 digest, in hexadecimal digits, of the executable's files that have a part in the
  /// output: one behind the other.
  static let hash: String = {
    let all = [UInt8](bytes) + [UInt8](IsolationWeights.bytes) + [UInt8](OtherSoundDetector.bytes)
    return all.withUnsafeBytes { SHA256.hexadecimal(SHA256.digest(of: $0)) }
  }()
}

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
