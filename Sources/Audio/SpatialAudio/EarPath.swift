internal import AudioCore
internal import CKernels
internal import EchoAlignment

/// The direct way of a source to one ear: a delay, then a filter whose output is summed with those of
/// the other sources in the frequency domain (overlap-save).
struct EarPath: ~Copyable {
  /// A delay that changes by more than this part of a frame is cross-faded and not moved: moving it
  /// would be heard as a change of pitch.
  private static let largestMove: Float = 0.01

  private let ear: Int
  private let layout: Convolution
  private let block: FloatBuffer
  private let filter: FloatBuffer
  private let memory: FloatBuffer
  private let faded: FloatBuffer
  private var delay: Float = 0
  private var current = 0  // which of the two memories of filters is in use

  init(ear: Int, _ layout: Convolution) {
    self.ear = ear
    self.layout = layout
    block = FloatBuffer(layout.size)
    filter = FloatBuffer(layout.size)
    memory = FloatBuffer(4 * layout.floatsPerSpectrum)
    faded = FloatBuffer(layout.frame)
  }

  private func spectrum(_ index: Int) -> Spectrum {
    layout.spectrum(memory.start + index * layout.floatsPerSpectrum)
  }

  /// The input, the filter at the start of the frame, and the change of the filter until the end of
  /// the frame.
  var input: Spectrum { spectrum(0) }
  var formerFilter: Spectrum { spectrum(1 + current) }
  var change: Spectrum { spectrum(3) }

  /// Sets the filter and the delay at once.
  mutating func start(_ place: HeadRelatedSet.Place, delay: Float, _ set: HeadRelatedSet) {
    transformFilter(place, set, into: formerFilter)
    self.delay = delay
  }

  /// Makes the past silent.
  func clear() { block.clear() }

  /// Takes the frame of a source. Runs per frame: no allocation, lock, log or await.
  mutating func accept(_ history: borrowing SampleHistory, delay target: Float) {
    let (frame, kept) = (layout.frame, layout.size - layout.frame)
    block.start.update(from: block.start + frame, count: kept)
    let fresh = block.start + kept
    let change = target - delay
    if abs(change) <= Self.largestMove * Float(frame) {
      let step = Double(change) / Double(frame)
      read(history, from: -Double(delay) - step, step: 1 - step, into: fresh)
    } else {
      read(history, from: -Double(delay), step: 1, into: fresh)
      read(history, from: -Double(target), step: 1, into: faded.start)
      for index in 0..<frame {
        fresh[index] += (faded.start[index] - fresh[index]) * layout.fadeIn.start[index]
      }
    }
    delay = target
    layout.forward(block.start, into: input)
  }

  private func read(
    _ history: borrowing SampleHistory, from first: Double, step: Double,
    into samples: UnsafeMutablePointer<Float>
  ) {
    SincInterpolator.shared.read(
      history.last, from: first, step: step, count: layout.frame, into: samples)
  }

  /// Makes the next filter, and the change to it. Runs per frame: no allocation, lock, log or await.
  mutating func turn(to place: HeadRelatedSet.Place, _ set: HeadRelatedSet) {
    let (former, next, change) = (formerFilter, spectrum(2 - current), change)
    transformFilter(place, set, into: next)
    for bin in 0..<layout.floatsPerSpectrum / 2 {
      change.real[bin] = next.real[bin] - former.real[bin]
      change.imaginary[bin] = next.imaginary[bin] - former.imaginary[bin]
    }
  }

  /// Continues with the filter of the last `turn`.
  mutating func endTurn() { current = 1 - current }

  private func transformFilter(
    _ place: HeadRelatedSet.Place, _ set: HeadRelatedSet, into spectrum: Spectrum
  ) {
    // Transforms back are scaled by their size.
    set.filter(place, ear: ear, factor: 1 / Float(layout.size), into: filter.start)
    layout.forward(filter.start, into: spectrum)
  }
}

/// The sizes of the convolution of a frame, and its transform.
final class Convolution {
  let frame: Int
  let size: Int
  /// The bins of a spectrum, padded for the kernels, twice.
  let floatsPerSpectrum: Int
  /// The gain of a fade-in at each sample of a frame. The curve begins and ends without a kink,
  /// which would be audible in low tones.
  let fadeIn: FloatBuffer
  private let fft: RealFFT
  private let sum: FloatBuffer
  private let samples: FloatBuffer
  /// All processors of a kind compute the same bits with them.
  private let kernels = Kernels.baseline

  init(frame: Int, taps: Int) {
    self.frame = frame
    size = RealFFT.tightSize(atLeast: frame + taps - 1)
    floatsPerSpectrum = 2 * Kernels.padded(Spectrum.binCount(size))
    fft = RealFFT(size: size, kernels: .baseline)
    sum = FloatBuffer(floatsPerSpectrum)
    fadeIn = FloatBuffer(frame)
    for index in 0..<frame {
      let part = Float(index + 1) / Float(frame)
      fadeIn.start[index] = part * part * (3 - 2 * part)
    }
    samples = FloatBuffer(size)
  }

  func spectrum(_ start: UnsafeMutablePointer<Float>) -> Spectrum {
    Spectrum(real: start, imaginary: start + floatsPerSpectrum / 2)
  }

  func forward(_ samples: UnsafePointer<Float>, into bins: Spectrum) {
    fft.forward(samples, into: bins)
  }

  /// Returns the frame that is the sum of inputs through their filters, valid until the next call.
  func frame(
    _ inputs: UnsafePointer<ck_complex>, _ filters: UnsafePointer<ck_complex>, count: Int
  ) -> UnsafePointer<Float> {
    let spectrum = spectrum(sum.start)
    kernels.table.sum_of_products(
      inputs, filters, Int32(count), spectrum.mutableForC, 0, Int32(floatsPerSpectrum / 2))
    fft.inverse(spectrum, into: samples.start)
    return UnsafePointer(samples.start + size - frame)
  }
}
