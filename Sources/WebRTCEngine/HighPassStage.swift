internal import AudioCore
internal import VoiceEngines

/// The high-pass filter stage, against rumble and hum. It always runs, and is heard when it is on.
final class HighPassStage {
  /// The cutoff frequency in Hz, below any voice.
  private static let cutoff: Float = 80

  private var filter: HighPassFilter
  private var choice: AlignedSwitch

  init(_ format: EngineFormat, isOn: Bool) {
    filter = HighPassFilter(
      cutoff: Self.cutoff, rate: format.rate, channelCount: format.channelCount)
    choice = AlignedSwitch(format, latencySamples: 0, isOn: isOn)
  }

  func apply(isOn: Bool) { choice.turn(on: isOn, hasRun: true) }

  func process(_ input: borrowing Frame, into output: borrowing Frame) {
    filter.process(input, into: choice.processed)
    choice.select(input, into: output)
  }
}
