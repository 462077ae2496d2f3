internal import AudioCore
internal import SpatialAudio

/// The change from one renderer to another one with other responses.
///
/// The successor first hears some frames, so that its filters and reflections are filled. Then it is
/// faded in over one frame.
struct RendererSuccession {
  private static let silentFrames = 3

  /// The renderer that is to be heard, or nil.
  private(set) var renderer: BinauralRenderer?
  private var heardFrames = 0
  private var fade = CrossfadeSwitch(isOn: false)

  /// Begins a change. A change that has not ended yet is replaced.
  mutating func begin(_ renderer: BinauralRenderer) {
    self.renderer = renderer
    heardFrames = 0
    fade = CrossfadeSwitch(isOn: false)
  }

  /// Selects the frame of the former renderer, or fades to that of its successor.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the successor is heard alone from the next frame on.
  mutating func select(
    between former: borrowing Frame, and successor: borrowing Frame, into output: borrowing Frame
  ) -> Bool {
    heardFrames += 1
    fade.turn(on: heardFrames > Self.silentFrames)
    let isLast = fade.isOn
    fade.select(on: successor, off: former, into: output)
    return isLast
  }

  /// Ends the change, and returns the successor.
  mutating func end() -> BinauralRenderer? { renderer.take() }
}
