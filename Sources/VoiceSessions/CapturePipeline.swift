internal import AudioCore
internal import Resampling
internal import VoiceEngines

/// From a frame of the microphone to a frame of the output: to the engine's rate and channels,
/// through the engine, and to those of the output.
final class CapturePipeline {
  let engine: any VoiceEngine
  /// Microphone in to processed out.
  let latency: Duration
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
      reference: setup.reference.map { .init(rate: $0.rate, channelCount: $0.channelCount) })
    let configuration = setup.configuration
    engine = try engineType.init(
      format: format, settings: configuration.engineSettings(for: configuration.preferredMicMode))
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
    findingsLatencySamples = Int64(rate.convert(untilEngineOut, to: setup.microphone.rate))
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
