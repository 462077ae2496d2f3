internal import AudioCore
internal import VoiceEngines

/// Finds speech in a signal without echo, by the same network.
final class AnechoicSpeechDetector: SpeechDetector {
  private let sound: Frame
  private var analysis: CallAnalysis
  private var decision = VoiceDecision()

  init(rate: SampleRate) throws(EngineError) {
    let weights = try EngineWeights.get()
    sound = Frame(rate: rate, channelCount: 1)
    analysis = CallAnalysis(hop: rate.samplesPerFrame, hasReference: false, weights: weights)
  }

  func hasVoice(_ frame: borrowing Frame) -> Bool {
    sound.copySound(frame)
    let probability = analysis.takeWithoutEcho(sound)
    decision.note(probability, power: analysis.features.errorPower)
    return decision.hasVoice
  }
}
