internal import AudioCore
internal import SpatialAudio

/// The switch between a sound as it is and the same sound rendered for both ears, each change
/// cross-faded.
struct BinauralStage: ~Copyable {
  /// Nil until the stage is prepared, and where nothing is ever rendered.
  private var renderer: BinauralRenderer?
  /// The responses of the renderer, or of the one to come. Nil where nothing is ever rendered.
  private var responses: HeadRelatedSet?
  private let sourceCount: Int
  private var succession = RendererSuccession()
  private let rendered: Frame
  private let succeeding: Frame
  private let output: Frame
  private var selection = CrossfadeSwitch(isOn: false)

  /// Creates a stage, which has to be prepared. Without responses for the playback, or with a playback of
  /// one channel, sound always stays as it is.
  init(_ responses: HeadRelatedSet?, playback: AudioFormat, sourceCount: Int) {
    self.sourceCount = sourceCount
    rendered = Frame(rate: playback.rate, channelCount: playback.channelCount)
    succeeding = Frame(rate: playback.rate, channelCount: playback.channelCount)
    output = Frame(rate: playback.rate, channelCount: playback.channelCount)
    let canRender = responses?.rate == playback.rate && playback.channelCount == 2
    self.responses = canRender ? responses : nil
  }

  /// Makes the renderer, unless there is one.
  mutating func prepare() {
    guard renderer == nil, let responses else { return }
    renderer = BinauralRenderer(responses, sourceCount: sourceCount)
  }

  /// Whether the last frame was rendered for both ears.
  var isRendered: Bool { selection.isOn }

  /// Renders with other responses, after a cross-fade. Does nothing where nothing is ever rendered.
  mutating func useHeadResponses(_ responses: HeadRelatedSet) {
    guard self.responses?.rate == responses.rate else { return }
    self.responses = responses
    guard renderer != nil else { return }
    succession.begin(BinauralRenderer(responses, sourceCount: sourceCount))
  }

  /// Adds a frame to the mix. `head` is the pose of a head for which the sound is rendered, or nil where
  /// `plain` is heard, from the sample `change` on if this is new. `take` gives the sources to a renderer.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func add(
    _ plain: borrowing Frame, to mix: borrowing Frame, head: HeadPose?, change: Int,
    _ take: (BinauralRenderer, HeadPose) -> Void
  ) {
    let wasHeard = selection.needsOn
    selection.turn(on: head != nil && renderer != nil, after: change)
    guard renderer != nil, selection.needsOn else {
      if let successor = succession.end() { renderer = successor }
      return mix.add(plain)
    }
    if selection.isOn, !wasHeard {
      if let successor = succession.end() { renderer = successor }
      renderer?.reset()
    }
    guard let renderer else { return }
    render(with: renderer, head: head, into: rendered, take)
    if let successor = succession.renderer {
      render(with: successor, head: head, into: succeeding, take)
      if succession.select(between: rendered, and: succeeding, into: output) {
        self.renderer = succession.end()
      }
      rendered.copy(output)
    }
    selection.select(on: rendered, off: plain, into: output)
    mix.add(output)
  }

  private func render(
    with renderer: BinauralRenderer, head: HeadPose?, into output: borrowing Frame,
    _ take: (BinauralRenderer, HeadPose) -> Void
  ) {
    take(renderer, head ?? renderer.lastHead)
    output.clear()
    renderer.add(to: output)
  }
}
