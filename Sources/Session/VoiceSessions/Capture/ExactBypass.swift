internal import AudioCore

/// The microphone in the processed output while voice processing is bypassed, where the engine would
/// convert it: at 44.1 kHz, for example, two conversions are no bypass.
struct ExactBypass: ~Copyable {
  private let latencySamples: Int
  private var delay: DelayLine
  private var choice: CrossfadeSwitch
  private let delayed: Frame

  /// Creates the bypass of an output in the format of the microphone, so many samples later.
  init(_ setup: SessionSetup, latencySamples: Int) {
    let format = setup.microphone
    self.latencySamples = latencySamples
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: setup.configuration.voiceProcessing.isBypassed)
    delayed = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  /// Returns whether the output of a session has the format of its microphone, but comes from an engine
  /// that converts.
  static func isNeeded(_ setup: SessionSetup, _ pipeline: borrowing CapturePipeline) -> Bool {
    let (microphone, processed) = (setup.microphone, setup.processed)
    return !pipeline.writesOutput && microphone.rate == processed.rate
      && microphone.channelCount == processed.channelCount
  }

  /// Applies a configuration from the microphone's sample on that comes after `samples` of the next
  /// frame.
  mutating func apply(_ configuration: SessionConfiguration, after samples: Int) {
    choice.turn(on: configuration.voiceProcessing.isBypassed, after: samples + latencySamples)
  }

  /// Puts the microphone in place of the output of the engine, if it is bypassed. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func process(_ microphone: borrowing Frame, into output: borrowing Frame) {
    delay.process(microphone, into: delayed)
    if choice.needsOn { choice.select(on: delayed, off: output, into: output) }
  }
}
