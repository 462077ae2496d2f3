internal import CKissFFT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The discrete Fourier transform of real samples, computed by KISS FFT.
package struct RealFFT: ~Copyable {
  package let size: Int
  private let forwardPlan: kiss_fftr_cfg
  private let inversePlan: kiss_fftr_cfg
  private let spectrum: UnsafeMutablePointer<kiss_fft_cpx>

  /// Plans transforms of `size` samples, which must be an even number.
  package init(size: Int) {
    precondition(size > 0 && size.isMultiple(of: 2), "an odd size")
    self.size = size
    guard let forward = kiss_fftr_alloc(Int32(size), 0, nil, nil),
      let inverse = kiss_fftr_alloc(Int32(size), 1, nil, nil)
    else { fatalError("no memory for a transform") }
    forwardPlan = forward
    inversePlan = inverse
    spectrum = .allocate(capacity: Spectrum.binCount(size))
    spectrum.initialize(repeating: kiss_fft_cpx(), count: Spectrum.binCount(size))
  }

  deinit {
    free(UnsafeMutableRawPointer(forwardPlan))
    free(UnsafeMutableRawPointer(inversePlan))
    spectrum.deallocate()
  }

  /// Transforms `size` samples into their spectrum. Does not allocate.
  package func forward(_ samples: UnsafePointer<Float>, into bins: Spectrum) {
    kiss_fftr(forwardPlan, samples, spectrum)
    for bin in 0..<Spectrum.binCount(size) {
      bins.real[bin] = spectrum[bin].r
      bins.imaginary[bin] = spectrum[bin].i
    }
  }

  /// Transforms a spectrum into its samples, scaled by `size`. Does not allocate.
  package func inverse(_ bins: Spectrum, into samples: UnsafeMutablePointer<Float>) {
    for bin in 0..<Spectrum.binCount(size) {
      spectrum[bin] = kiss_fft_cpx(r: bins.real[bin], i: bins.imaginary[bin])
    }
    kiss_fftri(inversePlan, spectrum, samples)
  }
}

/// The spectrum of real samples, in memory that the caller owns. Real and imaginary parts are stored
/// apart, so that the compiler can vectorize loops over bins.
package struct Spectrum {
  package let real: UnsafeMutablePointer<Float>
  package let imaginary: UnsafeMutablePointer<Float>

  /// Uses the memory at `start`, which must hold two values for each bin.
  package init(at start: UnsafeMutablePointer<Float>, samples size: Int) {
    real = start
    imaginary = start + Self.binCount(size)
  }

  /// Returns the number of bins in the spectrum of `size` real samples.
  package static func binCount(_ size: Int) -> Int { size / 2 + 1 }

  /// Sets the first bins to zero.
  package func clear(bins: Int) {
    real.update(repeating: 0, count: bins)
    imaginary.update(repeating: 0, count: bins)
  }
}
