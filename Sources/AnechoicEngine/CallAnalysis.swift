internal import AudioCore
internal import Inference
internal import Spectral

/// The analysis of a call, frame by frame: the spectra of its signals, the features of the spectra,
/// and the findings of the network.
struct CallAnalysis: ~Copyable {
  private(set) var spectra: CallSpectra
  private(set) var features: SpectralFeatures
  private var suppressor: Suppressor

  /// Creates an analysis of frames of `hop` samples. Without a reference nothing is cancelled.
  init(
    hop: Int, channelCount: Int = 1, hasReference: Bool, weights: EngineWeights,
    kernels: Kernels = .best
  ) {
    let work = FloatArena.forWork()
    spectra = CallSpectra(
      hop: hop, channelCount: channelCount, hasReference: hasReference,
      weights: weights.adaptation, kernels: kernels, work: work)
    features = SpectralFeatures(bins: hop + 1, bands: .shared(bins: hop + 1), kernels: kernels)
    suppressor = Suppressor(weights: weights.suppressor, kernels: kernels, work: work)
  }

  /// The network's gains of the last frame.
  var gains: Suppressor.Gains { suppressor.gains }

  /// The probability of a voice in the last frame by the suppressor itself.
  var possibleVoice: Float { suppressor.possibleVoice }

  /// Forgets the echo path.
  func forgetEchoPath() { spectra.forgetEchoPath() }

  /// Lets the echo path follow a reference that was moved, as `CallSpectra.shiftEchoPath` does.
  func shiftEchoPath(by samples: Int) { spectra.shiftEchoPath(by: samples) }

  /// Takes a frame as `CallSpectra.take` does, and returns the probability of a near voice. There are
  /// gains of the frame only if `findsGains` is true. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func take(
    _ frame: borrowing Frame, reference: UnsafePointer<Float>?, learns: Bool = true,
    cancelsEcho: Bool, findsGains: Bool = true
  ) -> Float {
    spectra.take(frame, reference: reference, learns: learns, cancelsEcho: cancelsEcho)
    features.compute(spectra.signals, into: suppressor.heard)
    if features.hasLongSilence { suppressor.begin() }
    return findsGains ? suppressor.process() : suppressor.findVoice()
  }

  /// Takes a frame of which nothing but the spectra is needed: there are no features, gains or
  /// probability of it.
  mutating func removeEcho(_ frame: borrowing Frame, reference: UnsafePointer<Float>) {
    spectra.take(frame, reference: reference, learns: true, cancelsEcho: true)
  }

  /// Takes a frame without echo, and returns the probability of a voice. There are no gains of such a
  /// frame. Runs per frame: no allocation, lock, log or await.
  mutating func takeWithoutEcho(_ frame: borrowing Frame) -> Float {
    take(frame, reference: nil, cancelsEcho: false, findsGains: false)
  }
}
