internal import AudioCore
internal import VoiceEngines

/// The library's voice detection alone, for a signal that needs no processing.
final class WebRTCSpeechDetector: SpeechDetector {
  private let processor: WebRTCProcessor
  private let unused: Frame

  init(rate: SampleRate) throws(EngineError) {
    processor = try WebRTCProcessor(EngineFormat(rate: rate, channelCount: 1))
    processor.setVoiceDetection()
    unused = Frame(rate: rate, channelCount: 1)
  }

  func hasVoice(_ frame: borrowing Frame) -> Bool {
    processor.process(frame, into: unused)
    return processor.hasVoice
  }
}
