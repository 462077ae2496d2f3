internal import AudioCore
internal import VoiceEngines

/// A stage's way in and out: hears either what the stage made, or its input, which is kept back for
/// as long as the stage keeps its output. Each change is cross-faded.
struct AlignedSwitch: ~Copyable {
  /// Of the stage, in samples.
  let latencySamples: Int
  /// Where the stage puts what it made.
  let processed: Frame
  private let untouched: Frame
  private var delay: DelayLine
  private var choice: CrossfadeSwitch

  init(_ format: EngineFormat, latencySamples: Int, isOn: Bool) {
    self.latencySamples = latencySamples
    processed = Frame(rate: format.rate, channelCount: format.channelCount)
    untouched = Frame(rate: format.rate, channelCount: format.channelCount)
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: isOn)
  }

  /// Whether the stage is heard, from the next frame on.
  var isOn: Bool {
    get { choice.isOn }
    set { choice.isOn = newValue }
  }

  /// Whether anything of the stage is heard in the next frame.
  var needsProcessed: Bool { choice.needsOn }

  /// `output` becomes `processed`, or `input` as it was, or fades from one to the other.
  mutating func select(_ input: borrowing Frame, into output: borrowing Frame) {
    delay.process(input, into: untouched)
    choice.select(on: processed, off: untouched, into: output)
  }
}
