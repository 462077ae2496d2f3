internal import AudioCore
internal import VoiceEngines

/// A voice activity detector for a signal without echo, with the same networks.
final class AnechoicSpeechDetector: SpeechDetector {
  private let sound: Frame
  private var analysis: CallAnalysis
  private var decision = VoiceDecision()
  private var tone: ToneDetector
  private var otherSounds: OtherSoundDetector

  init(rate: SampleRate) throws(EngineError) {
    let weights = try EngineWeights.get()
    sound = Frame(rate: rate, channelCount: 1)
    analysis = CallAnalysis(hop: rate.samplesPerFrame, hasReference: false, weights: weights)
    tone = ToneDetector(hop: rate.samplesPerFrame)
    otherSounds = OtherSoundDetector(weights: try OtherSoundDetector.weights())
  }

  func hasVoice(_ frame: borrowing Frame) -> Bool {
    sound.copySound(frame)
    _ = analysis.acceptWithoutEcho(sound)
    // A far end is mostly voice, without the noise of a room: the auxiliary output detects more of
    // it. Music on hold and tones are no voice.
    tone.record(UnsafePointer(sound.planePointers[0]))
    otherSounds.record(tone.lowBand)
    decision.record(
      analysis.auxiliaryVoice * otherSounds.voiceShare, power: analysis.features.means.error,
      isTone: tone.excludesVoice)
    return decision.hasVoice
  }
}
