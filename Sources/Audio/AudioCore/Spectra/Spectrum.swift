/// The spectrum of real samples, in memory that the caller owns. Real and imaginary parts are
/// stored apart, so that the compiler can vectorize loops over bins.
package struct Spectrum {
  package let real: UnsafeMutablePointer<Float>
  package let imaginary: UnsafeMutablePointer<Float>

  /// Uses the memory at `start`, which must hold two values for each bin.
  package init(at start: UnsafeMutablePointer<Float>, samples size: Int) {
    real = start
    imaginary = start + Self.binCount(size)
  }

  package init(
    real: UnsafeMutablePointer<Float>, imaginary: UnsafeMutablePointer<Float>
  ) {
    (self.real, self.imaginary) = (real, imaginary)
  }

  /// Returns the number of bins in the spectrum of `size` real samples.
  package static func binCount(_ size: Int) -> Int { size / 2 + 1 }

  /// Returns the bins from `first` on.
  package func from(_ first: Int) -> Spectrum {
    Spectrum(real: real + first, imaginary: imaginary + first)
  }

  /// Copies the first bins of another spectrum.
  package func copy(_ other: Spectrum, bins: Int) {
    real.update(from: other.real, count: bins)
    imaginary.update(from: other.imaginary, count: bins)
  }

  /// Sets the first bins to zero.
  package func clear(bins: Int) {
    real.update(repeating: 0, count: bins)
    imaginary.update(repeating: 0, count: bins)
  }
}
