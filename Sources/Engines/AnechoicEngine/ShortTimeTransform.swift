internal import AudioCore

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
  let kernels: Kernels
  /// The values of a row of bins, padded for the kernels.
  let row: Int
  /// The work memory that transforms leave to others.
  let work: FloatArena
  private let fft: RealFFT
  private let window: FloatTable
  private let block: UnsafeMutablePointer<Float>
  private let scale: Float
  /// The windows by their number of samples.
  private static let windows = SharedTables()

  /// Creates transforms. `work` is memory that others may use between two of them.
  init(hop: Int, kernels: Kernels = .best, work: FloatArena = .forWork()) {
    self.hop = hop
    self.kernels = kernels
    row = Kernels.padded(hop + 1)
    var work = work
    block = work.array(2 * hop)
    fft = RealFFT(size: 2 * hop, kernels: kernels, work: work.array(4 * hop))
    self.work = work
    scale = Float(160).squareRoot() / Float(hop)
    window = Self.windows.table(2 * hop) {
      FloatTable(2 * hop) { window in
        for index in 0..<(2 * hop) {
          window[index] = Float(sin(Double.pi * Double(index) / Double(2 * hop)))
        }
      }
    }
  }

  /// Computes the spectrum of 20 ms, with zeros as its padding. Runs per frame: no allocation,
  /// lock, log or await.
  func analyze(_ samples: UnsafePointer<Float>, into spectrum: Spectrum) {
    let window = window.start
    for index in 0..<(2 * hop) { block[index] = samples[index] * window[index] * scale }
    fft.forward(block, into: spectrum)
    spectrum.from(hop + 1).clear(bins: row - hop - 1)
  }

  /// Overlap-adds a spectrum to the 10 ms in `tail`, and returns the 10 ms that are complete. Runs per
  /// frame: no allocation, lock, log or await.
  func synthesize(
    _ spectrum: Spectrum, tail: UnsafeMutablePointer<Float>,
    into output: UnsafeMutablePointer<Float>
  ) {
    fft.inverse(spectrum, into: block)
    let window = window.start
    let factor = 1 / (scale * Float(2 * hop))
    for index in 0..<hop {
      output[index] = tail[index] + block[index] * window[index] * factor
      tail[index] = block[hop + index] * window[hop + index] * factor
    }
  }
}
