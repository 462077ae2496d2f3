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
  private var framesUntilOn = 0

  init(_ format: EngineFormat, latencySamples: Int, isOn: Bool) {
    self.latencySamples = latencySamples
    processed = Frame(rate: format.rate, channelCount: format.channelCount)
    untouched = Frame(rate: format.rate, channelCount: format.channelCount)
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: isOn)
  }

  /// Whether the stage is wanted. One that did not run until now is heard when it has run for as
  /// long as it keeps its output back: before that it has nothing to say.
  mutating func turn(on isOn: Bool, hasRun: Bool) {
    guard isOn else {
      framesUntilOn = 0
      choice.isOn = false
      return
    }
    guard !choice.isOn, framesUntilOn == 0 else { return }
    let size = processed.sampleCount
    framesUntilOn = hasRun ? 0 : (latencySamples + size - 1) / size
    choice.isOn = framesUntilOn == 0
  }

  /// Whether the stage has to run for the next frame.
  var needsProcessed: Bool { choice.needsOn || framesUntilOn > 0 }

  /// `output` becomes `processed`, or `input` as it was, or fades from one to the other.
  mutating func select(_ input: borrowing Frame, into output: borrowing Frame) {
    delay.process(input, into: untouched)
    choice.select(on: processed, off: untouched, into: output)
    guard framesUntilOn > 0 else { return }
    framesUntilOn -= 1
    choice.isOn = framesUntilOn == 0
  }
}
