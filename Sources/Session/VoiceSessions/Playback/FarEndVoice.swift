internal import AudioCodecs
internal import AudioCore
internal import VoiceEngines

/// Finds voice in the frames of the far end.
struct FarEndVoice: ~Copyable {
  private let detector: any SpeechDetector
  private var input: DetectorInput
  private let frame: Frame

  init(_ format: AudioFormat, _ engine: any VoiceEngine.Type) throws {
    let detector = try engine.makeSpeechDetector(rate: DetectorInput.rate)
    input = try DetectorInput(from: format.rate)
    frame = Frame(rate: DetectorInput.rate, channelCount: 1)
    self.detector = detector
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func isHeard(in farEnd: borrowing Frame) -> Bool {
    input.process(farEnd, into: frame)
    return detector.hasVoice(frame)
  }
}
