internal import AudioCore
internal import VoiceEngines

/// A voice activity detector for a signal without echo, with the same networks.
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
    _ = analysis.acceptWithoutEcho(sound)
    // A far end is mostly voice, without the noise of a room: the auxiliary output detects more of
    // it.
    decision.record(analysis.auxiliaryVoice, power: analysis.features.means.error)
    return decision.hasVoice
  }
}
