internal import AudioCore

/// The limit on noise suppression at the onset of a call and after a long silence, where the
/// network may classify a voice as noise. The limit then falls by 4 dB in 10 ms. It is less strict
/// at the onset of a call, because calls often begin with noise, than after a silence, after which
/// a voice is more likely.
struct OnsetLimit {
  /// The number of frames for which a limit holds, and the limit in dB.
  private static let ofCall: (frames: Int, limit: Float) = (25, -10)
  private static let afterSilence: (frames: Int, limit: Float) = (50, -3)
  private static let fall: Float = 4
  /// The number of frames after which nothing is limited.
  private static let end = 80

  private var frame = 0
  private var phase = OnsetLimit.ofCall

  /// Advances to the next frame. Runs per frame: no allocation, lock, log or await.
  mutating func advance(isSilent: Bool) {
    if isSilent {
      (frame, phase) = (0, Self.afterSilence)
    } else {
      frame = min(frame + 1, Self.end)
    }
  }

  /// Whether a sound has just followed a long silence. Such a sound is more often a voice than not.
  var isAfterSilence: Bool { phase.frames == Self.afterSilence.frames && frame < phase.frames }

  /// The minimum gain for noise, a factor.
  var minimumGain: Float {
    guard frame < Self.end else { return 0 }
    return Decibels.factor(phase.limit - Self.fall * Float(max(0, frame - phase.frames)))
  }
}
