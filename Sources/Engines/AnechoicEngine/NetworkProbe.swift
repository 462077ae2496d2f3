package import AudioCore

/// The linear canceller and the network on a call at 16 kHz, frame by frame, for training and for
/// tests.
package struct NetworkProbe: ~Copyable {
  /// The samples of a frame.
  package static let hop = 160
  /// The values that `process` writes: 20 ms without echo, three rows of gains, and the probability
  /// of a voice.
  package static let valueCount = 2 * hop + 3 * Bands.count + 1

  private var analysis: CallAnalysis
  private let microphone = Frame(rate: .hz16000, channelCount: 1)

  package init(_ file: WeightFile, kernels: Kernels = .best) throws(WeightFile.FormatError) {
    analysis = CallAnalysis(
      hop: Self.hop, hasReference: true, weights: try EngineWeights(file), kernels: kernels)
  }

  /// Processes a frame of the microphone and one of the reference.
  package mutating func process(
    microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>,
    into values: UnsafeMutablePointer<Float>
  ) {
    self.microphone.planePointers[0].update(from: microphone, count: Self.hop)
    let voice = analysis.accept(self.microphone, reference: reference, cancelsEcho: true)
    values.update(from: analysis.spectra.withoutEcho, count: 2 * Self.hop)
    let gains = values + 2 * Self.hop
    let found = analysis.gains
    for (row, source) in [found.echo, found.noise, found.competingVoices].enumerated() {
      (gains + row * Bands.count).update(from: source, count: Bands.count)
    }
    gains[3 * Bands.count] = voice
  }

  /// Processes a frame as `process` does, but skips the networks, which take most of the time.
  /// Writes only the 20 ms without echo.
  package mutating func removeEcho(
    microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>,
    into samples: UnsafeMutablePointer<Float>
  ) {
    self.microphone.planePointers[0].update(from: microphone, count: Self.hop)
    analysis.removeEcho(self.microphone, reference: reference)
    samples.update(from: analysis.spectra.withoutEcho, count: 2 * Self.hop)
  }
}
