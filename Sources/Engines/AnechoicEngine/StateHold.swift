internal import AudioCore

/// Limits the drift of the recurrent states during long pauses.
///
/// The networks are trained on calls of 6 s. After a minute of a quiet room or of noise, they would
/// classify the first second of a voice as noise. From 4 s of a pause on, the full-band states are
/// therefore pulled towards their values at that time.
struct StateHold: ~Copyable {
  /// The number of frames without a voice after which the states are held, and the probability
  /// below which a frame counts as one.
  private static let frames = 400
  private static let leastProbability: Float = 0.1
  /// The part of the distance to the held states that is removed in a frame: half of it in 0.35 s.
  private static let part: Float = 0.02

  private var framesWithoutVoice = 0
  private let held = FloatBuffer(MaskNetwork.fullBandStateCount)

  /// Records the probability of a voice in a frame, and holds the states in a long pause. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func record(_ probability: Float, _ maskNetwork: borrowing MaskNetwork) {
    guard probability < Self.leastProbability else { return framesWithoutVoice = 0 }
    framesWithoutVoice = min(framesWithoutVoice + 1, Self.frames + 1)
    if framesWithoutVoice == Self.frames { maskNetwork.copyFullBandState(to: held.start) }
    if framesWithoutVoice > Self.frames {
      maskNetwork.moveFullBandState(toward: held.start, by: Self.part)
    }
  }
}
