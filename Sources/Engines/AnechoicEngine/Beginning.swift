internal import AudioCore

/// The first moment of a call, and the first after a long silence, in which the network may take a voice
/// for noise: the suppression of noise is limited, and then becomes deeper by 4 dB in 10 ms. Calls often
/// begin with noise, and after a silence a voice is more likely.
struct Beginning {
  /// The frames that a limit lasts, and the limit in dB.
  private static let ofCall: (frames: Int, limit: Float) = (25, -10)
  private static let afterSilence: (frames: Int, limit: Float) = (50, -3)
  private static let fall: Float = 4
  /// The frames after which nothing is limited.
  private static let end = 80

  private var frame = 0
  private var phase = Beginning.ofCall

  /// Begins the next frame. Runs per frame: no allocation, lock, log or await.
  mutating func advance(isSilent: Bool) {
    if isSilent {
      (frame, phase) = (0, Self.afterSilence)
    } else {
      frame = min(frame + 1, Self.end)
    }
  }

  /// Whether sound has just followed a long silence: more often than not it is a voice.
  var isAfterSilence: Bool { phase.frames == Self.afterSilence.frames && frame < phase.frames }

  /// The smallest gain for noise, a factor.
  var leastGain: Float {
    guard frame < Self.end else { return 0 }
    return Decibels.factor(phase.limit - Self.fall * Float(max(0, frame - phase.frames)))
  }
}
