internal import AudioCore
internal import VoiceEngines

/// Automatic gain control.
final class GainStage {
  var latencySamples: Int { choice.latencySamples }
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch

  /// `target` in decibels below full scale; nil is off.
  init(_ format: EngineFormat, _ target: Int?) throws(EngineError) {
    processor = try WebRTCProcessor(format.withoutReference)
    if let target { processor.setGainControl(target: target) }
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.gainControl(format.rate), isOn: target != nil)
  }

  func apply(_ target: Int?) {
    choice.turn(on: target != nil, hasRun: choice.needsProcessed)
    if let target { processor.setGainControl(target: target) }
  }

  func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if choice.needsProcessed { processor.process(input, into: choice.processed) }
    choice.select(input, into: output)
  }
}
