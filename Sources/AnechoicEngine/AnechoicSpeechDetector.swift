internal import AudioCore
internal import Inference
internal import Spectral
internal import VoiceEngines

/// Finds speech in a signal without echo, by the same network.
final class AnechoicSpeechDetector: SpeechDetector {
  private let sound: Frame
  private let spectra: CallSpectra
  private var features: SpectralFeatures
  private var suppressor: Suppressor
  private var decision = VoiceDecision()

  init(rate: SampleRate) throws(EngineError) {
    let weights = try EngineWeights.get()
    let hop = rate.samplesPerFrame
    sound = Frame(rate: rate, channelCount: 1)
    spectra = CallSpectra(
      hop: hop, channelCount: 1, hasReference: false, weights: weights.adaptation)
    features = SpectralFeatures(bins: hop + 1, bands: Bands(bins: hop + 1), kernels: .best)
    suppressor = Suppressor(weights: weights.suppressor, kernels: .best)
  }

  func hasVoice(_ frame: borrowing Frame) -> Bool {
    sound.copySound(frame)
    spectra.take(sound, reference: nil, cancelsEcho: false)
    features.compute(spectra.signals, into: suppressor.heard)
    decision.note(suppressor.process())
    return decision.hasVoice
  }
}
