internal import AudioCore

/// The correlation of a block with a longer signal at many places, by the product of their spectra.
///
/// The work is divided into steps, so that no frame has to do all of it.
struct BlockCorrelation: ~Copyable {
  /// The number of steps.
  static let steps = 3

  private let block: Int
  private let places: Int
  private let fft: RealFFT
  private let samples: FloatBuffer
  private let spectra: FloatBuffer
  private let blockSpectrum: Spectrum
  private let signalSpectrum: Spectrum

  /// Creates a correlation of blocks of `block` samples at `places` places.
  init(block: Int, places: Int) {
    self.block = block
    self.places = places
    fft = RealFFT(size: RealFFT.tightSize(atLeast: block + places - 1), kernels: .baseline)
    samples = FloatBuffer(fft.size)
    let bins = Kernels.padded(Spectrum.binCount(fft.size))
    spectra = FloatBuffer(4 * bins)
    blockSpectrum = Spectrum(real: spectra.start, imaginary: spectra.start + bins)
    signalSpectrum = Spectrum(
      real: spectra.start + 2 * bins, imaginary: spectra.start + 3 * bins)
  }

  /// Runs a step. After the last one, `results` has the sums of the products. `signal` has
  /// `places` - 1 samples more than the block. Runs per frame: no allocation, lock, log or await.
  func run(
    step: Int, block values: UnsafePointer<Float>, signal: UnsafePointer<Float>
  ) {
    switch step {
    case 0: transform(values, count: block, into: blockSpectrum)
    case 1: transform(signal, count: block + places - 1, into: signalSpectrum)
    default: multiply()
    }
  }

  /// The sum of the products of the block with the signal from each place on. Valid after the last step,
  /// until the next first one.
  var results: UnsafePointer<Float> { UnsafePointer(samples.start) }

  private func transform(
    _ values: UnsafePointer<Float>, count: Int, into bins: Spectrum
  ) {
    samples.clear()
    samples.start.update(from: values, count: count)
    fft.forward(samples.start, into: bins)
  }

  private func multiply() {
    let (block, signal) = (blockSpectrum, signalSpectrum)
    let scale = 1 / Float(fft.size)
    for bin in 0..<Spectrum.binCount(fft.size) {
      let (a, b) = (scale * block.real[bin], scale * block.imaginary[bin])
      let (c, d) = (signal.real[bin], signal.imaginary[bin])
      signal.real[bin] = a * c + b * d
      signal.imaginary[bin] = a * d - b * c
    }
    fft.inverse(signal, into: samples.start)
  }
}
