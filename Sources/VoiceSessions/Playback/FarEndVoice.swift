internal import AudioCore
internal import Resampling
internal import VoiceEngines

/// Voice activity of the far end.
final class FarEndVoice {
  private let detector: any SpeechDetector
  private var input: DetectorInput
  private let frame: Frame
  var activity: VoiceActivityDetector

  init(
    _ format: AudioFormat, _ configuration: SessionConfiguration.VoiceActivity,
    _ engine: any VoiceEngine.Type
  ) throws {
    detector = try engine.makeSpeechDetector(rate: DetectorInput.rate)
    input = try DetectorInput(from: format.rate)
    frame = Frame(rate: DetectorInput.rate, channelCount: 1)
    activity = VoiceActivityDetector(configuration)
  }

  /// Runs per frame: no allocation, lock, log or await.
  func process(
    _ farEnd: borrowing Frame, isListenedTo: Bool
  ) -> VoiceActivityDetector.Change? {
    guard isListenedTo else { return activity.process(hasVoice: false) }
    input.process(farEnd, into: frame)
    return activity.process(hasVoice: detector.hasVoice(frame))
  }
}
