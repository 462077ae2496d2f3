internal import AudioCore

/// Turns of the near end, found in the echo-cancelled microphone, whatever the mute.
struct TurnDetector: ~Copyable {
  /// The mean square above which a far end counts as one that talks: -50 dBFS.
  static let audible: Float = 1e-5
  /// The time that the far end still counts as talking after it was audible.
  private static let farEndHoldFrames = 30

  /// The features of the last frame, and its scores, for training and for tests.
  private let lastFeatures = FloatBuffer(TurnFeatures.count)
  private var lastScores = TurnScores(speech: 0, backchannel: 0, notSpeech: 0, end: 0)
  private var features: TurnFeatures
  private let network = TurnNetwork()
  private var decisions: TurnDecisions
  private var framesSinceFarEnd = farEndHoldFrames

  /// Creates a detector for audio of a rate, whose next frame is `frame`.
  init(_ configuration: SessionConfiguration.Turns, rate: SampleRate, frame: Int64) {
    features = TurnFeatures(rate: rate)
    decisions = TurnDecisions(configuration, frame: frame)
  }

  mutating func set(_ configuration: SessionConfiguration.Turns) { decisions.set(configuration) }

  /// The end of the present turn if detection ends now, or nil without a turn.
  var cutOff: TurnDecisions.Event? { decisions.cutOff }

  /// Ends the present turn. Returns its end, or nil without one.
  mutating func endCutOff() -> TurnDecisions.Event? { decisions.endCutOff() }

  /// Copies the features of the last frame, and returns its scores.
  func copyFeatures(to features: UnsafeMutablePointer<Float>) -> TurnScores {
    features.update(from: lastFeatures.start, count: lastFeatures.count)
    return lastScores
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(
    _ frame: borrowing Frame, _ observation: TurnObservation
  ) -> TurnDecisions.Event? {
    features.process(frame, observation, into: lastFeatures.start)
    lastScores = network.process(lastFeatures.start)
    framesSinceFarEnd =
      observation.farEndIsAudible ? 0 : min(framesSinceFarEnd + 1, Self.farEndHoldFrames)
    // While a frame may be echo, voice activity says nothing about the turn.
    return decisions.process(
      lastScores, farEndTalks: framesSinceFarEnd < Self.farEndHoldFrames,
      hasVoice: observation.hasVoice || observation.mayHearEcho)
  }
}
