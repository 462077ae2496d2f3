internal import Inference
internal import Spectral

#if canImport(Glibc)
  internal import Glibc
#endif

/// Windows of 20 ms, one every 10 ms, and their spectra. The windows are the roots of Hann windows:
/// spectra that are not changed give back the samples.
///
/// A bin is 50 Hz wide at every sample rate, and the same sound has the same power in it. White
/// noise at 16 kHz has its own power in each bin.
struct ShortTimeTransform: ~Copyable {
  /// The samples of 10 ms.
  let hop: Int
  /// The values of a row of bins, padded for the kernels.
  let row: Int
  private let fft: RealFFT
  private let window: FloatBuffer
  private let block: FloatBuffer
  private let scale: Float

  init(hop: Int, kernels: Kernels = .best) {
    self.hop = hop
    row = Kernels.padded(hop + 1)
    fft = RealFFT(size: 2 * hop, kernels: kernels)
    window = FloatBuffer(2 * hop)
    block = FloatBuffer(2 * hop)
    scale = Float(160).squareRoot() / Float(hop)
    for index in 0..<(2 * hop) {
      window.start[index] = Float(sin(Double.pi * Double(index) / Double(2 * hop)))
    }
  }

  /// Computes the spectrum of 20 ms. Runs per frame: no allocation, lock, log or await.
  func analyze(_ samples: UnsafePointer<Float>, into spectrum: Spectrum) {
    for index in 0..<(2 * hop) { block.start[index] = samples[index] * window.start[index] * scale }
    fft.forward(block.start, into: spectrum)
  }

  /// Adds a spectrum to what earlier ones have left in `tail`, and returns the 10 ms that are
  /// complete. `tail` holds 10 ms. Runs per frame: no allocation, lock, log or await.
  func synthesize(
    _ spectrum: Spectrum, tail: UnsafeMutablePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    fft.inverse(spectrum, into: block.start)
    let factor = 1 / (scale * Float(2 * hop))
    for index in 0..<hop {
      output[index] = tail[index] + block.start[index] * window.start[index] * factor
      tail[index] = block.start[hop + index] * window.start[hop + index] * factor
    }
  }
}
