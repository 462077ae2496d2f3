internal import AudioCodecs
internal import AudioCore
internal import SpatialAudio
internal import VoiceEngines

/// The named far ends of a session: mixed down, or rendered for both ears.
struct FarEnds: ~Copyable {
  /// The audio of one far end that may wait. Less than for other inputs, because there may be 16.
  private static let longestLead = Duration.seconds(2)

  private let inputs: [NamedInput]
  private var stage: BinauralStage
  private let mixedDown: Frame
  private var voice: FarEndVoice

  init(_ setup: SessionSetup, playback: AudioFormat, _ engine: any VoiceEngine.Type) throws {
    let inputs = try setup.farEnds.map {
      NamedInput(
        try PlaybackInput(
          $0.format, playback: playback, isElastic: setup.isRealTime, longestLead: Self.longestLead),
        id: $0.id)
    }
    voice = try FarEndVoice(playback, engine)
    mixedDown = Frame(rate: playback.rate, channelCount: playback.channelCount)
    stage = BinauralStage(setup.headResponses, playback: playback, sourceCount: inputs.count)
    stage.prepare()
    self.inputs = inputs
    apply(setup.configuration.spatial)
    for input in inputs { input.gain = input.setting.gain }
  }

  /// Renders with other responses, after a cross-fade. Does nothing where far ends are never rendered.
  mutating func useHeadResponses(_ responses: HeadRelatedSet) {
    stage.useHeadResponses(responses)
  }

  /// Whether the last frame was rendered for both ears.
  var isRendered: Bool { stage.isRendered }

  /// Whether the last frames of all far ends are digital silence.
  var areSilent: Bool { inputs.allSatisfy { $0.input.isSilent } }

  /// Whether the last frame of a far end is loud enough for one that talks.
  var areAudible: Bool { inputs.contains { $0.input.isAudible } }

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
    _ samples: InputSamples, to farEnd: Int, firstSample: Int64?
  ) throws(InputError) -> Int64 {
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
  /// rendered for both ears, and nil where they are to be mixed down, from the sample `change` on if this
  /// is new.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func add(to mix: borrowing Frame, head: HeadPose?, change: Int) {
    let inputs = inputs
    stage.add(mixedDown, to: mix, head: head, change: change) { renderer, head in
      for index in inputs.indices {
        renderer.accept(
          inputs[index].input.converted, of: index, inputs[index].setting, head: head)
      }
    }
  }

  /// Keeps only the newest samples of all far ends until they are played again.
  func rest() {
    for input in inputs { input.input.rest() }
  }

  /// Drops all samples that wait behind a `share` of the next frame, with a fade of 5 ms.
  func clear(after share: Float) {
    for input in inputs { input.input.clear(after: share) }
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

/// Finds voice in the frames of the far end.
struct FarEndVoice: ~Copyable {
  private let detector: any SpeechDetector
  private var input: DetectorInput
  private let frame: Frame

  init(_ format: AudioFormat, _ engine: any VoiceEngine.Type) throws {
    let detector = try engine.makeSpeechDetector(rate: DetectorInput.rate)
    input = try DetectorInput(from: format.rate)
    frame = Frame(rate: DetectorInput.rate, channelCount: 1)
    self.detector = detector
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func isHeard(in farEnd: borrowing Frame) -> Bool {
    input.process(farEnd, into: frame)
    return detector.hasVoice(frame)
  }
}
