internal import AudioCore
internal import VoiceEngines

/// The high-pass filter stage, against rumble and hum. It always runs, and is heard when it is on.
struct HighPassStage: ~Copyable {
  /// The cutoff frequency in Hz, below any voice.
  private static let cutoff: Float = 80

  private var filter: HighPassFilter
  private var choice: AlignedSwitch

  init(_ format: EngineFormat, isOn: Bool) {
    filter = HighPassFilter(
      cutoff: Self.cutoff, rate: format.rate, channelCount: format.channelCount)
    choice = AlignedSwitch(format, latencySamples: 0, isOn: isOn)
  }

  mutating func apply(isOn: Bool) { choice.turn(on: isOn, hasRun: true) }

  mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if choice.needsOnlyProcessed {
      filter.process(input, into: output)
      choice.skip(input)
    } else {
      filter.process(input, into: choice.processed)
      choice.select(input, into: output)
    }
  }
}
