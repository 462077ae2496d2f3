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
    _ = analysis.takeWithoutEcho(sound)
    // Far ends are mostly voices, without the noise of a room: the suppressor itself finds more of them.
    decision.note(analysis.possibleVoice, power: analysis.features.errorPower)
    return decision.hasVoice
  }
}
