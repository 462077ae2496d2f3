/// Finds short holes in the sound of a microphone, such as packets that a network has lost.
///
/// The networks would hear the end of a voice in each of them, and need some time to know it again: with a
/// tenth of the blocks of 20 ms lost, a voice is hardly found. A frame of a hole is therefore not
/// analyzed. The findings of the frame before hold on.
struct MicrophoneHoles {
  /// The number of frames of the longest hole. A longer silence is one.
  private static let longest = 6
  /// The mean square, -100 dBFS, below which a frame is silent.
  private static let silence: Float = 1e-10

  /// The frames of silence so far. A call begins after a long one.
  private var silentFrames = MicrophoneHoles.longest + 1
  /// The frames that were not analyzed since the last one that was.
  private var heldFrames = 0

  /// Records a frame of 10 ms by its mean square, and whether a part of it is missing. Runs per frame: no
  /// allocation, lock, log or await.
  ///
  /// - Returns: Whether the last 20 ms, which the analysis hears, contain a part of a hole.
  mutating func contains(meanSquare: Float, isConcealed: Bool = false) -> Bool {
    let silentBefore = silentFrames
    let isSilent = meanSquare < Self.silence || isConcealed
    silentFrames = isSilent ? min(silentFrames + 1, Self.longest + 1) : 0
    let lasts = isSilent ? silentFrames : silentBefore
    guard (1...Self.longest).contains(lasts), heldFrames <= Self.longest else {
      heldFrames = 0
      return false
    }
    heldFrames += 1
    return true
  }
}
