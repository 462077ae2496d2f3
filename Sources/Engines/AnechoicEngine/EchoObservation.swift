internal import VoiceEngines

/// The power of the linear canceller's echo estimate, with a decay for late reverberation.
///
/// This safeguard does not depend on the networks: a frame whose residual is much softer than the
/// echo estimate never counts as a voice, and gain control does not raise it above the microphone.
/// A person who talks over a much louder echo is detected between the words of the echo.
struct LinearEchoEstimate {
  /// The part of its power that reverberation keeps in a frame: 60 dB in 0.8 s.
  private static let kept: Float = 0.84
  /// The smallest ratios of residual to echo, -13 and -20 dB, at which a voice may start and
  /// continue.
  private static let minimumToStart: Float = 0.05
  private static let minimumToContinue: Float = 0.01
  /// The ratio of echo to residual, -10 dB, above which the echo counts as audible.
  private static let minimumAudible: Float = 0.1

  private var echo: Float = 0
  private var residual: Float = 0

  /// Records the mean powers of a frame: of the echo estimate that the canceller subtracted, and of
  /// the residual.
  mutating func record(echo: Float, residual: Float) {
    self.echo = max(echo, Self.kept * self.echo)
    self.residual = residual
  }

  /// Whether the echo of the frame is audible beside the residual.
  var isAudible: Bool { echo > Self.minimumAudible * residual }

  /// Returns whether the residual is strong enough for a voice to start or, if `continuing` is
  /// true, to continue.
  func allowsVoice(continuing: Bool) -> Bool {
    residual >= echo * (continuing ? Self.minimumToContinue : Self.minimumToStart)
  }
}

/// The echo in the last frames of a call.
struct EchoObservation {
  /// The number of frames after the reference in which its echo may arrive while its delay is not
  /// known.
  private static let longestEcho = 115

  private(set) var estimate = LinearEchoEstimate()
  var meter = EchoReductionMeter()
  /// The path of the echo in the last frame.
  var path = EchoConditions.Path.unknown
  /// Whether what is left of the microphone may be echo, by what the session has found.
  var isDoubtful = false
  private var framesSinceReference = longestEcho

  /// Records the echo estimate of a frame that was analyzed, also while the canceller is off: an old estimate
  /// would otherwise stay for ever. Runs per frame: no allocation, lock, log or await.
  mutating func record(_ features: borrowing SpectralFeatures) {
    estimate.record(echo: features.means.echo, residual: features.means.error)
    let isAudible = features.means.reference > EchoReductionMeter.leastPower
    framesSinceReference = isAudible ? 0 : min(framesSinceReference + 1, Self.longestEcho)
  }

  /// Whether the reference plays, or played so recently that its echo may still arrive.
  var farEndPlays: Bool { framesSinceReference < Self.longestEcho }
}
