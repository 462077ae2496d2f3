internal import AudioCore
internal import VoiceEngines

/// The noise suppression stage and the voice detection that depends on it. The suppressor always
/// runs, and is heard when it is on. Only the reduced mode stops it: then the library's detector
/// decides about voice alone.
struct NoiseStage: ~Copyable {
  private let processor: WebRTCProcessor
  private var choice: AlignedSwitch
  private var isReduced = false
  private var level: EngineSettings.NoiseSuppression

  init(
    _ format: EngineFormat, _ suppression: EngineSettings.NoiseSuppression?
  ) throws(EngineError) {
    processor = try WebRTCProcessor(format.withoutReference)
    level = suppression ?? .high
    processor.setNoiseSuppression(level)
    processor.setVoiceDetection()
    choice = AlignedSwitch(
      format, latencySamples: WebRTCLatency.noiseSuppression(format.rate), isOn: suppression != nil)
  }

  /// Switches the stage on or off after `samples` of the input.
  mutating func turn(on isOn: Bool, after samples: Int) { choice.turn(on: isOn, after: samples) }

  /// Sets the strength from the next frame on. Nil leaves it as it is.
  mutating func set(_ suppression: EngineSettings.NoiseSuppression?, isReduced: Bool) {
    self.isReduced = isReduced
    if let suppression { level = suppression }
    if isReduced {
      processor.stopNoiseSuppression()
    } else {
      processor.setNoiseSuppression(level)
    }
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
    guard isReduced else { return processor.findings }
    let hasVoice = processor.hasVoice
    return FrameFindings(speechProbability: hasVoice ? 1 : 0, hasVoice: hasVoice)
  }
}
