internal import AudioCore
internal import VoiceEngines

/// Echo cancellation. Once it was on it goes on learning while it is off, so that it is there at
/// once when it is wanted again.
final class EchoStage {
  let latencySamples: Int
  private let processor: WebRTCProcessor
  private var dryDelay: DelayLine
  private var choice: CrossfadeSwitch
  private var isLearning: Bool
  private let wet: Frame
  private let dry: Frame

  init(_ format: EngineFormat, _ suppression: EngineSettings.EchoSuppression?) throws(EngineError) {
    latencySamples = WebRTCLatency.echoCancellation(format.rate)
    processor = try WebRTCProcessor(format)
    processor.setEchoCancellation(suppression ?? .moderate)
    dryDelay = DelayLine(delay: latencySamples, channelCount: format.channelCount)
    choice = CrossfadeSwitch(isOn: suppression != nil)
    isLearning = suppression != nil
    wet = Frame(rate: format.rate, channelCount: format.channelCount)
    dry = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  func apply(_ suppression: EngineSettings.EchoSuppression?) {
    choice.isOn = suppression != nil
    guard let suppression else { return }
    isLearning = true
    processor.setEchoCancellation(suppression)
  }

  func process(_ input: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame) {
    dryDelay.process(input, into: dry)
    guard isLearning else { return output.copy(dry) }
    processor.analyzeReference(reference)
    processor.process(input, into: wet)
    choice.select(on: wet, off: dry, into: output)
  }

  var metrics: EchoMetrics { isLearning ? processor.echoMetrics : EchoMetrics() }
}
