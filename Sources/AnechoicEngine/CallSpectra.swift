internal import AdaptiveFilter
internal import AudioCore
internal import Inference
internal import Spectral

/// The spectra of a call, frame by frame: of each channel of the microphone, of the same without
/// echo, of the reference, and of what the network hears, which is the mean of the channels.
struct CallSpectra: ~Copyable {
  private let transform: ShortTimeTransform
  private let channelCount: Int
  private let hop: Int
  private let memory: FloatBuffer
  private var filters: [ChannelFilter] = []

  /// A canceller in a class, because arrays hold no noncopyable values.
  private final class ChannelFilter {
    var filter: EchoFilter

    init(hop: Int, weights: AdaptationWeights, kernels: Kernels) {
      filter = EchoFilter(hop: hop, weights: weights, kernels: kernels)
    }
  }

  /// Creates the spectra of frames of `hop` samples. Without a reference nothing is cancelled.
  init(
    hop: Int, channelCount: Int, hasReference: Bool, weights: AdaptationWeights, kernels: Kernels
  ) {
    transform = ShortTimeTransform(hop: hop, kernels: kernels)
    self.hop = hop
    self.channelCount = channelCount
    // For each channel 20 ms of the microphone, 20 ms without echo, two spectra and the tail of the
    // output; 20 ms of the reference, and four spectra for the network.
    memory = FloatBuffer(
      channelCount * (5 * hop + 4 * transform.row) + 2 * hop + 8 * transform.row)
    if hasReference {
      filters = (0..<channelCount).map { _ in
        ChannelFilter(hop: hop, weights: weights, kernels: kernels)
      }
    }
  }

  // MARK: Memory

  private func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
    memory.start + index * (5 * hop + 4 * transform.row)
  }
  private func microphoneBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) }
  private func errorBlock(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) + 2 * hop }
  private func tail(_ index: Int) -> UnsafeMutablePointer<Float> { channel(index) + 4 * hop }
  private func spectrum(at start: UnsafeMutablePointer<Float>) -> Spectrum {
    Spectrum(real: start, imaginary: start + transform.row)
  }
  private func microphone(_ index: Int) -> Spectrum { spectrum(at: channel(index) + 5 * hop) }
  private func error(_ index: Int) -> Spectrum {
    spectrum(at: channel(index) + 5 * hop + 2 * transform.row)
  }
  private var referenceBlock: UnsafeMutablePointer<Float> { channel(channelCount) }
  private func heard(_ index: Int) -> Spectrum {
    spectrum(at: referenceBlock + 2 * hop + 2 * index * transform.row)
  }

  // MARK: Frames

  /// The signals that the network hears.
  var signals: SpectralFeatures.Signals {
    SpectralFeatures.Signals(
      error: heard(0), echo: heard(1), microphone: heard(2), reference: heard(3))
  }

  /// 20 ms of the first channel without echo, where it is cancelled: the last frame and the present
  /// one.
  var withoutEcho: UnsafePointer<Float> { UnsafePointer(errorBlock(0)) }

  /// Forgets the echo path.
  func forgetEchoPath() {
    for channel in filters { channel.filter.reset() }
  }

  /// Takes a frame of finite samples. `reference` has 10 ms of one channel. Nil leaves the canceller
  /// as it is. Unless the echo is cancelled, the network receives silence as the reference. Runs per
  /// frame: no allocation, lock, log or await.
  func take(_ frame: borrowing Frame, reference: UnsafePointer<Float>?, cancelsEcho: Bool) {
    for index in 0..<channelCount {
      let block = microphoneBlock(index)
      block.update(from: block + hop, count: hop)
      (block + hop).update(from: frame.planePointers[index], count: hop)
    }
    takeReference(reference)
    for index in 0..<channelCount {
      if reference != nil { learn(index) }
      separate(index, cancelsEcho: cancelsEcho && reference != nil)
    }
    mix(hearsReference: cancelsEcho)
  }

  private func takeReference(_ reference: UnsafePointer<Float>?) {
    let block = referenceBlock
    block.update(from: block + hop, count: hop)
    guard let reference else { return (block + hop).update(repeating: 0, count: hop) }
    (block + hop).update(from: reference, count: hop)
  }

  private func learn(_ index: Int) {
    filters[index].filter.process(
      microphone: microphoneBlock(index) + hop, reference: referenceBlock + hop,
      into: errorBlock(index))
    keepInBounds(index)
  }

  private func separate(_ index: Int, cancelsEcho: Bool) {
    transform.analyze(microphoneBlock(index), into: microphone(index))
    if cancelsEcho {
      transform.analyze(errorBlock(index), into: error(index))
    } else {
      error(index).copy(microphone(index), bins: transform.row)
    }
  }

  /// A canceller that makes the microphone louder is wrong: its output is lowered to the level of
  /// the microphone. One whose output is no number starts again.
  private func keepInBounds(_ index: Int) {
    let (block, result) = (microphoneBlock(index), errorBlock(index))
    let power = FloatBuffer.meanSquare(result, 2 * hop)
    let most = FloatBuffer.meanSquare(block, 2 * hop)
    guard power.isFinite else {
      filters[index].filter.reset()
      return result.update(from: block, count: 2 * hop)
    }
    guard power > most else { return }
    let factor = (most / power).squareRoot()
    for sample in 0..<(2 * hop) { result[sample] *= factor }
  }

  private func mix(hearsReference: Bool) {
    let count = transform.row
    let (error, echo, microphone) = (heard(0), heard(1), heard(2))
    let share = 1 / Float(channelCount)
    error.clear(bins: count)
    microphone.clear(bins: count)
    for index in 0..<channelCount {
      Self.add(self.error(index), share, to: error, count)
      Self.add(self.microphone(index), share, to: microphone, count)
    }
    for bin in 0..<count {
      echo.real[bin] = microphone.real[bin] - error.real[bin]
      echo.imaginary[bin] = microphone.imaginary[bin] - error.imaginary[bin]
    }
    if hearsReference {
      transform.analyze(referenceBlock, into: heard(3))
    } else {
      heard(3).clear(bins: count)
    }
  }

  private static func add(_ part: Spectrum, _ share: Float, to sum: Spectrum, _ count: Int) {
    for bin in 0..<count {
      sum.real[bin] += share * part.real[bin]
      sum.imaginary[bin] += share * part.imaginary[bin]
    }
  }

  /// Fills `output` with the sound of 10 ms ago without echo, with a gain for each bin. Runs per
  /// frame: no allocation, lock, log or await.
  func finish(gains: UnsafePointer<Float>, into output: borrowing Frame) {
    for index in 0..<channelCount {
      let error = error(index)
      for bin in 0...hop {
        error.real[bin] *= gains[bin]
        error.imaginary[bin] *= gains[bin]
      }
      transform.synthesize(error, tail: tail(index), into: output.planePointers[index])
    }
  }
}
