internal import AudioCore
internal import Resampling
internal import VoiceEngines

/// From a frame of the microphone to a frame of the output: to the engine's rate and channels,
/// through the engine, and to those of the output.
final class CapturePipeline {
  let engine: any VoiceEngine
  /// Microphone in to processed out.
  let latency: Duration
  /// The same in samples of the output, rounded to the nearest.
  let latencySamples: Int
  /// The mic mode that runs, and why it is not the preferred one.
  private(set) var micMode: (mode: MicMode, reason: MicMode.Fallback?)
  private let format: EngineFormat
  /// From the microphone to what the findings are about, in samples of the microphone.
  let findingsLatencySamples: Int64
  private var toEngine: FrameConverter
  private var fromEngine: FrameConverter
  private let engineInput: Frame
  private let engineOutput: Frame

  init(_ setup: SessionSetup, _ engineType: any VoiceEngine.Type) throws {
    let channelCount = min(setup.microphone.channelCount, setup.processed.channelCount)
    let rate = Self.rate(for: setup, engineType.processingRates)
    let format = EngineFormat(
      rate: rate, channelCount: channelCount,
      reference: setup.echoReference.map { .init(rate: $0.rate, channelCount: $0.channelCount) })
    self.format = format
    micMode = setup.configuration.micMode(of: engineType, format)
    engine = try engineType.init(
      format: format, settings: setup.configuration.engineSettings(for: micMode.mode))
    toEngine = try FrameConverter(
      from: setup.microphone.rate, setup.microphone.channelCount, to: rate, channelCount)
    fromEngine = try FrameConverter(
      from: rate, channelCount, to: setup.processed.rate, setup.processed.channelCount)
    engineInput = Frame(rate: rate, channelCount: channelCount)
    engineOutput = Frame(rate: rate, channelCount: channelCount)
    let untilEngineOut = toEngine.latencySamples + engine.latencySamples
    latency =
      rate.duration(ofSamples: untilEngineOut)
      + setup.processed.rate.duration(ofSamples: fromEngine.latencySamples)
    latencySamples =
      rate.convert(untilEngineOut, to: setup.processed.rate) + fromEngine.latencySamples
    findingsLatencySamples = Int64(rate.convert(untilEngineOut, to: setup.microphone.rate))
  }

  func apply(_ configuration: SessionConfiguration) {
    micMode = configuration.micMode(of: type(of: engine), format)
    engine.apply(configuration.engineSettings(for: micMode.mode))
  }

  /// Runs per frame: no allocation, lock, log or await.
  func process(
    microphone: borrowing Frame, reference: borrowing Frame, into output: borrowing Frame
  ) -> FrameFindings {
    toEngine.process(microphone, into: engineInput)
    let findings = engine.process(
      microphone: engineInput, reference: reference, into: engineOutput)
    fromEngine.process(engineOutput, into: output)
    return findings
  }

  /// The lowest rate that loses nothing between the microphone and the output.
  private static func rate(for setup: SessionSetup, _ rates: [SampleRate]) -> SampleRate {
    let needed = min(setup.microphone.rate, setup.processed.rate)
    return rates.filter { $0 >= needed }.min() ?? needed
  }
}

extension SessionConfiguration {
  fileprivate func micMode(
    of engine: any VoiceEngine.Type, _ format: EngineFormat
  ) -> (mode: MicMode, reason: MicMode.Fallback?) {
    preferredMicMode.active { engine.supports(engineSettings(for: $0), format) }
  }
}
