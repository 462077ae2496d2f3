internal import AudioCore
internal import VoiceEngines

/// The automatic gain control stage.
struct GainStage: ~Copyable {
  var latencySamples: Int { choice.latencySamples }
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch
  private var linked: LinkedGain?  // Nil for one channel.

  /// Creates the stage. `target` is in decibels below full scale; nil switches the stage off.
  init(_ format: EngineFormat, _ target: Int?) throws(EngineError) {
    processor = try WebRTCProcessor(EngineFormat(rate: format.rate, channelCount: 1))
    if format.channelCount > 1 {
      linked = LinkedGain(format, latencySamples: WebRTCLatency.gainControl(format.rate))
    } else {
      linked = nil
    }
    if let target { processor.setGainControl(target: target) }
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.gainControl(format.rate), isOn: target != nil)
  }

  /// Switches the stage on or off after `samples` of the input.
  mutating func turn(on isOn: Bool, after samples: Int) { choice.turn(on: isOn, after: samples) }

  /// Sets the target from the next frame on.
  mutating func set(_ target: Int) { processor.setGainControl(target: target) }

  mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if choice.needsOnlyProcessed {
      Self.level(input, by: processor, &linked, into: output)
      choice.skip(input)
      return
    }
    if choice.needsProcessed {
      Self.level(input, by: processor, &linked, into: choice.processed)
    }
    choice.select(input, into: output)
  }

  private static func level(
    _ input: borrowing Frame, by processor: borrowing WebRTCProcessor,
    _ linked: inout LinkedGain?, into output: borrowing Frame
  ) {
    if linked == nil {
      processor.process(input, into: output)
    } else {
      linked?.process(input, into: output) { processor.process($0, into: $1) }
    }
  }
}
