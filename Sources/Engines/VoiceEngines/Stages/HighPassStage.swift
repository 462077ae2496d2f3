public import AudioCore

/// The high-pass filter stage, against rumble and hum. It always runs, and is heard when it is on.
public struct HighPassStage: ~Copyable {
  /// The cutoff frequency in Hz, below any voice.
  private static let cutoff: Float = 80

  private var filter: HighPassFilter
  private var choice: AlignedSwitch

  public init(_ format: EngineFormat, isOn: Bool) {
    filter = HighPassFilter(
      cutoff: Self.cutoff, rate: format.rate, channelCount: format.channelCount)
    choice = AlignedSwitch(format, latencySamples: 0, isOn: isOn)
  }

  /// Switches the filter on or off after `samples` of the input, with a cross-fade.
  public mutating func apply(isOn: Bool, after samples: Int) {
    choice.turn(on: isOn, after: samples)
  }

  /// Filters a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if choice.needsOnlyProcessed {
      filter.process(input, into: output)
      choice.skip(input)
    } else {
      filter.process(input, into: choice.processed)
      choice.select(input, into: output)
    }
  }
}
