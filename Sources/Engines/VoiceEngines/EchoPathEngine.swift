/// An engine whose echo canceller can begin with an echo path that was learnt before.
public protocol EchoPathEngine: VoiceEngine {
  /// Returns the longest response of an echo path in a format, in samples of one channel.
  static func longestResponse(_ format: EngineFormat) -> Int

  /// The impulse responses that the canceller has learnt, `longestResponse` samples of each channel, one
  /// channel after the other. Empty without a reference. Allocates.
  var echoResponses: [Float] { get }

  /// Begins with impulse responses, as many samples as `echoResponses` has. Call it before the first frame.
  /// A response that does not fit is forgotten after the first echo.
  func begin(withEchoResponses responses: [Float])
}
