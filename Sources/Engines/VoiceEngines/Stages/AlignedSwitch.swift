public import AudioCore

/// The switch around a stage. Its output is either the stage's output, or the input delayed by the
/// latency of the stage. Each change is cross-faded.
///
/// While `needsOnlyProcessed` is true, the stage writes directly to the output, and `skip` takes
/// the input. Otherwise the stage writes to `processed`, and `select` fills the output.
public struct AlignedSwitch: ~Copyable {
  /// The latency of the stage in samples.
  public let latencySamples: Int
  /// The frame that the stage writes its output to, if `select` follows.
  public let processed: Frame
  private let untouched: Frame
  private var delay: DelayLine
  private var choice: CrossfadeSwitch

  /// `latencySamples` is the latency of the stage, which `turn(on:after:)` switches later.
  public init(_ format: EngineFormat, latencySamples: Int, isOn: Bool) {
    self.latencySamples = latencySamples
    processed = Frame(rate: format.rate, channelCount: format.channelCount)
    untouched = Frame(rate: format.rate, channelCount: format.channelCount)
    delay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: isOn)
  }

  /// Switches the stage on or off from the input's sample on that comes after `samples`. A stage that
  /// has not run before must run from the next frame on, and has an output for this sample.
  public mutating func turn(on isOn: Bool, after samples: Int) {
    choice.turn(on: isOn, after: samples + latencySamples)
  }

  /// Whether the stage must run for the next frame.
  public var needsProcessed: Bool { choice.needsOn }

  /// Whether the next output is the stage's output alone.
  public var needsOnlyProcessed: Bool { choice.needsOnlyOn }

  /// Takes the input of a frame whose output the stage has written.
  public mutating func skip(_ input: borrowing Frame) { delay.push(input) }

  /// Fills `output` with `processed`, with the delayed `input`, or with a cross-fade between the
  /// two.
  public mutating func select(_ input: borrowing Frame, into output: borrowing Frame) {
    delay.process(input, into: untouched)
    choice.select(on: processed, off: untouched, into: output)
  }
}
