internal import AudioCore
internal import VoiceEngines

/// Echo cancellation. Once it was on it goes on learning while it is off, so that it is there at
/// once when it is wanted again.
final class EchoStage {
  var latencySamples: Int { choice.latencySamples }
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch
  private var isLearning: Bool
  private var samplesLearnt = 0  // up to the latency

  init(
    _ format: EngineFormat, _ suppression: EngineSettings.EchoSuppression?,
    _ search: WebRTCEchoSearch
  ) throws(EngineError) {
    processor = try WebRTCProcessor(format, search)
    processor.setEchoCancellation(suppression ?? .moderate)
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.echoCancellation(format.rate), isOn: suppression != nil)
    isLearning = suppression != nil
  }

  func apply(_ suppression: EngineSettings.EchoSuppression?) {
    choice.turn(on: suppression != nil, hasRun: samplesLearnt >= latencySamples)
    guard let suppression else { return }
    isLearning = true
    processor.setEchoCancellation(suppression)
  }

  func process(_ input: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame) {
    if isLearning {
      processor.analyzeReference(reference)
      processor.process(input, into: choice.processed)
      choice.processed.silenceNonNumbers()
      samplesLearnt = min(samplesLearnt + input.sampleCount, latencySamples)
    }
    choice.select(input, into: output)
  }

  var metrics: EchoMetrics { isLearning ? processor.echoMetrics : EchoMetrics() }
}

extension Frame {
  /// Where the microphone is echo and nothing else, the library now and then gives values that are
  /// no numbers, and the stages after it would never recover from them. It is echo, so: silence.
  fileprivate func silenceNonNumbers() {
    for channel in 0..<channelCount {
      let plane = plane(channel)
      for index in plane.indices where !plane[index].isFinite { plane[index] = 0 }
    }
  }
}
