internal import AdaptiveFilter
internal import AudioCore
package import Inference
internal import Spectral

/// The linear canceller and the network on a call at 16 kHz, frame by frame, for training and for
/// tests.
package struct NetworkProbe: ~Copyable {
  /// The samples of a frame.
  package static let hop = 160
  /// The values that `process` writes: 20 ms without echo, three rows of gains, and the probability
  /// of a voice.
  package static let valueCount = 2 * hop + 3 * Bands.count + 1

  private let spectra: CallSpectra
  private var features = SpectralFeatures(
    bins: hop + 1, bands: Bands(bins: hop + 1), kernels: .best)
  private var suppressor: Suppressor?
  private let microphone = Frame(rate: .hz16000, channelCount: 1)

  /// Without weights of the network, its values are 0.
  package init(_ file: WeightFile) throws(WeightFile.Fault) {
    let adaptation = try AdaptationWeights(file)
    let network = file.has("suppressor") ? try Suppressor.Weights(file) : nil
    spectra = CallSpectra(
      hop: Self.hop, channelCount: 1, hasReference: true, weights: adaptation)
    if let network {
      suppressor = Suppressor(weights: network, kernels: .best)
    } else {
      suppressor = nil
    }
  }

  /// Takes a frame of the microphone and one of the reference.
  package mutating func process(
    microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>,
    into values: UnsafeMutablePointer<Float>
  ) {
    self.microphone.planePointers[0].update(from: microphone, count: Self.hop)
    spectra.take(self.microphone, reference: reference, cancelsEcho: true)
    values.update(from: spectra.withoutEcho, count: 2 * Self.hop)
    let gains = values + 2 * Self.hop
    gains.update(repeating: 0, count: 3 * Bands.count + 1)
    guard let heard = suppressor?.heard else { return }
    features.compute(spectra.signals, into: heard)
    gains[3 * Bands.count] = suppressor?.process() ?? 0
    guard let found = suppressor?.gains else { return }
    for (row, source) in [found.echo, found.noise, found.rivals].enumerated() {
      (gains + row * Bands.count).update(from: source, count: Bands.count)
    }
  }
}
