internal import AudioCore

/// Keeps the memory of the network from drifting during a long pause.
///
/// The network has learned from calls of 6 s. After a minute of a quiet room or of noise, it would
/// take the first second of a voice for more of the same. The memory of its layers of all bands is
/// therefore held, for the rest of a pause, near its value after 4 s.
struct LongPause: ~Copyable {
  /// The frames without a voice after which the memory is held, and the probability of a voice below which a
  /// frame has none.
  private static let frames = 400
  private static let leastProbability: Float = 0.1
  /// The part of the way back to the held memory that a frame goes: half of it in 0.35 s.
  private static let part: Float = 0.02

  private var framesWithoutVoice = 0
  private let held = FloatBuffer(Suppressor.memoryOfAll)

  /// Takes the probability of a voice in a frame, and holds the memory in a long pause. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func note(_ probability: Float, _ suppressor: borrowing Suppressor) {
    guard probability < Self.leastProbability else { return framesWithoutVoice = 0 }
    framesWithoutVoice = min(framesWithoutVoice + 1, Self.frames + 1)
    if framesWithoutVoice == Self.frames { suppressor.copyMemoryOfAll(to: held.start) }
    if framesWithoutVoice > Self.frames { suppressor.approach(held.start, by: Self.part) }
  }
}
