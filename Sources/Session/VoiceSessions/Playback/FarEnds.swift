internal import AudioCore
internal import SpatialAudio
internal import VoiceEngines

/// The named far ends of a session: mixed down, or rendered for both ears.
struct FarEnds: ~Copyable {
  /// The audio of one far end that may wait. Less than for other inputs, because there may be 16.
  private static let longestLead = Duration.seconds(2)

  private let inputs: [NamedInput]
  private var renderer: BinauralRenderer?
  private var succession = RendererSuccession()
  private let mixedDown: Frame
  private let rendered: Frame
  private let succeeding: Frame
  private let output: Frame
  private var voice: FarEndVoice
  private var selection = CrossfadeSwitch(isOn: false)

  init(_ setup: SessionSetup, playback: AudioFormat, _ engine: any VoiceEngine.Type) throws {
    let inputs = try setup.farEnds.map {
      NamedInput(
        try PlaybackInput(
          $0.format, playback: playback, isElastic: setup.isRealTime, longestLead: Self.longestLead),
        id: $0.id)
    }
    voice = try FarEndVoice(playback, engine)
    mixedDown = Frame(rate: playback.rate, channelCount: playback.channelCount)
    rendered = Frame(rate: playback.rate, channelCount: playback.channelCount)
    succeeding = Frame(rate: playback.rate, channelCount: playback.channelCount)
    output = Frame(rate: playback.rate, channelCount: playback.channelCount)
    renderer =
      if let responses = setup.headResponses, responses.rate == playback.rate,
        playback.channelCount == 2
      {
        BinauralRenderer(responses, sourceCount: inputs.count)
      } else {
        nil
      }
    self.inputs = inputs
    apply(setup.configuration.spatial)
    for input in inputs { input.gain = input.setting.gain }
  }

  /// Renders with other responses, after a cross-fade. Does nothing where far ends are never rendered.
  mutating func useHeadResponses(_ responses: HeadRelatedSet) {
    guard let renderer, responses.rate == renderer.rate else { return }
    succession.begin(BinauralRenderer(responses, sourceCount: inputs.count))
  }

  /// Whether the last frame was rendered for both ears.
  var isRendered: Bool { selection.isOn }

  /// Whether the last frames of all far ends are digital silence.
  var areSilent: Bool { inputs.allSatisfy { $0.input.isSilent } }

  /// Applies places and gains from the next frame on.
  func apply(_ settings: SpatialSettings) {
    for input in inputs {
      let source = settings.sources.first { $0.farEnd == input.id }
      input.setting = SourceSetting(
        placement: source?.placement ?? .ahead, gain: Decibels.factor(source?.gain ?? 0),
        hasReflections: settings.hasReflections)
    }
  }

  /// Appends samples of a far end.
  ///
  /// - Returns: How many samples were missing before them.
  func append(
    _ samples: UnsafeRawBufferPointer, to farEnd: Int, firstSample: Int64?
  ) throws(InputFault) -> Int64 {
    try inputs[farEnd].input.append(samples, firstSample: firstSample)
  }

  /// Moves on by 10 ms. Runs per frame: no allocation, lock, log or await.
  func advance() {
    mixedDown.clear()
    for input in inputs {
      input.input.advance()
      input.input.add(to: mixedDown, from: input.gain, to: input.setting.gain)
      input.gain = input.setting.gain
    }
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func hasVoice() -> Bool { voice.isHeard(in: mixedDown) }

  /// Adds the frame that `advance` brought. `head` is the pose of the head where the far ends are to be
  /// rendered for both ears, and nil where they are to be mixed down.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func add(to mix: borrowing Frame, head: HeadPose?) {
    selection.isOn = head != nil && renderer != nil
    guard renderer != nil, selection.needsOn else {
      if let successor = succession.end() { renderer = successor }
      return mix.add(mixedDown)
    }
    if selection.isOn, !selection.needsOnlyOn {
      if let successor = succession.end() { renderer = successor }
      renderer?.reset()
    }
    guard let renderer else { return }
    render(with: renderer, head: head, into: rendered)
    if let successor = succession.renderer {
      render(with: successor, head: head, into: succeeding)
      if succession.select(between: rendered, and: succeeding, into: output) {
        self.renderer = succession.end()
      }
      rendered.copy(output)
    }
    selection.select(on: rendered, off: mixedDown, into: output)
    mix.add(output)
  }

  private func render(
    with renderer: BinauralRenderer, head: HeadPose?, into output: borrowing Frame
  ) {
    for (index, input) in inputs.enumerated() {
      renderer.take(
        input.input.converted, of: index, input.setting, head: head ?? renderer.lastHead)
    }
    output.clear()
    renderer.add(to: output)
  }

  /// Drops all waiting samples, with a fade of 5 ms.
  func clear() {
    for input in inputs { input.input.clear() }
  }
}

/// A far end with its name.
private final class NamedInput {
  let id: String
  var input: PlaybackInput
  var setting = SourceSetting()
  /// The factor at the end of the last frame that was mixed down.
  var gain: Float = 1

  init(_ input: consuming PlaybackInput, id: String) {
    self.input = input
    self.id = id
  }
}
