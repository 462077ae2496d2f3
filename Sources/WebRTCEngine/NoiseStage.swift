internal import AudioCore
internal import VoiceEngines

/// Noise suppression, and the voice detection that rests on it: the suppressor always runs, and is
/// heard when it is on.
final class NoiseStage {
  let latencySamples: Int
  private let processor: WebRTCProcessor
  private var dryDelay: DelayLine
  private var choice: CrossfadeSwitch
  private let wet: Frame
  private let dry: Frame

  init(_ format: EngineFormat, _ suppression: EngineSettings.NoiseSuppression?)
    throws(EngineError)
  {
    latencySamples = WebRTCLatency.noiseSuppression(format.rate)
    processor = try WebRTCProcessor(format.withoutReference)
    processor.setNoiseSuppression(suppression ?? .high)
    processor.setVoiceDetection()
    dryDelay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: suppression != nil)
    wet = Frame(rate: format.rate, channelCount: format.channelCount)
    dry = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  func apply(_ suppression: EngineSettings.NoiseSuppression?) {
    choice.isOn = suppression != nil
    if let suppression { processor.setNoiseSuppression(suppression) }
  }

  func process(_ input: borrowing Frame, into output: borrowing Frame) -> FrameFindings {
    processor.process(input, into: wet)
    dryDelay.process(input, into: dry)
    choice.select(on: wet, off: dry, into: output)
    return processor.findings
  }
}

extension EngineFormat {
  var withoutReference: EngineFormat { EngineFormat(rate: rate, channelCount: channelCount) }
}
