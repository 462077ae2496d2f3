internal import AudioCore
internal import VoiceEngines

/// Automatic gain control.
final class GainStage {
  let latencySamples: Int
  private let processor: WebRTCProcessor
  private var dryDelay: DelayLine
  private var choice: CrossfadeSwitch
  private let wet: Frame
  private let dry: Frame

  /// `target` in decibels below full scale; nil is off.
  init(_ format: EngineFormat, _ target: Int?) throws(EngineError) {
    latencySamples = WebRTCLatency.gainControl(format.rate)
    processor = try WebRTCProcessor(format.withoutReference)
    processor.setGainControl(target: target ?? 3)
    dryDelay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: target != nil)
    wet = Frame(rate: format.rate, channelCount: format.channelCount)
    dry = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  func apply(_ target: Int?) {
    choice.isOn = target != nil
    if let target { processor.setGainControl(target: target) }
  }

  func process(_ input: borrowing Frame, into output: borrowing Frame) {
    dryDelay.process(input, into: dry)
    guard choice.needsOn else { return output.copy(dry) }
    processor.process(input, into: wet)
    choice.select(on: wet, off: dry, into: output)
  }
}
