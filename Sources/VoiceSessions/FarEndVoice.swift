internal import AudioCore
internal import Resampling
internal import VoiceEngines

/// Voice activity of the far end.
final class FarEndVoice {
  private let detector: any SpeechDetector
  private var converter: FrameConverter
  private let frame: Frame
  var activity: VoiceActivityDetector

  init(
    _ format: AudioFormat, _ configuration: SessionConfiguration.VoiceActivity,
    _ engine: any VoiceEngine.Type
  ) throws {
    // All that a voice detector listens to is below 8 kHz.
    let rate = format.rate < .hz16000 ? SampleRate.hz8000 : .hz16000
    detector = try engine.makeSpeechDetector(rate: rate)
    converter = try FrameConverter(from: format.rate, format.channelCount, to: rate, 1)
    frame = Frame(rate: rate, channelCount: 1)
    activity = VoiceActivityDetector(configuration)
  }

  /// Runs per frame: no allocation, lock, log or await.
  func process(
    _ farEnd: borrowing Frame, isListenedTo: Bool
  ) -> VoiceActivityDetector.Change? {
    guard isListenedTo else { return activity.process(hasVoice: false) }
    converter.process(farEnd, into: frame)
    return activity.process(hasVoice: detector.hasVoice(frame))
  }
}
