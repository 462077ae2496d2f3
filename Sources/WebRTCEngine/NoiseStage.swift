internal import AudioCore
internal import VoiceEngines

/// The noise suppression stage and the voice detection that depends on it. The suppressor always
/// runs, and is heard when it is on.
struct NoiseStage: ~Copyable {
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch

  init(
    _ format: EngineFormat, _ suppression: EngineSettings.NoiseSuppression?
  ) throws(EngineError) {
    processor = try WebRTCProcessor(format.withoutReference)
    processor.setNoiseSuppression(suppression ?? .high)
    processor.setVoiceDetection()
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.noiseSuppression(format.rate), isOn: suppression != nil)
  }

  mutating func apply(_ suppression: EngineSettings.NoiseSuppression?) {
    choice.turn(on: suppression != nil, hasRun: true)
    if let suppression { processor.setNoiseSuppression(suppression) }
  }

  mutating func process(
    _ input: borrowing Frame, into output: borrowing Frame
  ) -> FrameFindings {
    if choice.needsOnlyProcessed {
      processor.process(input, into: output)
      choice.skip(input)
    } else {
      processor.process(input, into: choice.processed)
      choice.select(input, into: output)
    }
    return processor.findings
  }
}
