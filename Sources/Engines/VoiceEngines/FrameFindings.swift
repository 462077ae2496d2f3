/// The results of an engine for one frame.
public struct FrameFindings: Sendable, Equatable {
  /// The probability of speech in the echo-cancelled microphone, 0...1. Sessions report it.
  /// `webrtc-audio-processing` takes it from its noise suppressor, which does not tell the near voice from
  /// other voices; in the reduced mode it is 0 or 1. With `anechoic` it is the same as `nearEndProbability`.
  public var speechProbability: Float
  /// Whether the engine detects speech in the echo-cancelled microphone.
  public var hasVoice: Bool
  /// The reduction by the echo canceller in dB, measured over the last 0.3 s in which the
  /// microphone contained the reference. Nil until it is known.
  public var echoReduction: Float?
  /// The probability that somebody talks near the microphone, 0...1. Echo and voices in the background
  /// do not count. `anechoic` has it from its network. It is nil if the engine does not know, as with
  /// `webrtc-audio-processing`. Sessions do not use it.
  public var nearEndProbability: Float?
  /// The likelihood that echo remains in the output, 0...1: the estimated part of the output's power that is
  /// echo. Nil if the engine does not know.
  public var residualEcho: Float?
  /// The part of the microphone's power, 0...1, that the linear echo canceller predicts from the
  /// reference. While it predicts the echo, its delay has not changed, even if another delay
  /// correlates. Nil if the engine does not know.
  public var explainedShare: Float?
  /// The part of the predicted echo that is in the microphone: about 1 while the prediction fits, whatever
  /// else the microphone hears, and about 0 once the echo comes another way. Nil if the engine does not
  /// know, or predicts almost no echo.
  public var echoPresence: Float?

  public init(
    speechProbability: Float, hasVoice: Bool, echoReduction: Float? = nil,
    nearEndProbability: Float? = nil, residualEcho: Float? = nil, explainedShare: Float? = nil,
    echoPresence: Float? = nil
  ) {
    self.speechProbability = speechProbability
    self.hasVoice = hasVoice
    self.echoReduction = echoReduction
    self.nearEndProbability = nearEndProbability
    self.residualEcho = residualEcho
    self.explainedShare = explainedShare
    self.echoPresence = echoPresence
  }
}
