internal import AudioCore
internal import VoiceEngines

/// The high-pass filter against rumble and hum. It always runs, and is heard when it is on.
final class HighPassStage {
  /// In Hz: below any voice.
  private static let cutoff: Float = 80

  private var filter: HighPassFilter
  private var choice: CrossfadeSwitch
  private let wet: Frame

  init(_ format: EngineFormat, isOn: Bool) {
    filter = HighPassFilter(
      cutoff: Self.cutoff, rate: format.rate, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: isOn)
    wet = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  func apply(isOn: Bool) { choice.isOn = isOn }

  func process(_ input: borrowing Frame, into output: borrowing Frame) {
    filter.process(input, into: wet)
    choice.select(on: wet, off: input, into: output)
  }
}
