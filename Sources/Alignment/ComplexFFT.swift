#if canImport(Glibc)
  internal import Glibc
#endif

/// The discrete Fourier transform of complex numbers by Stockham's self-sorting radix-4 algorithm
/// (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7).
///
/// Real and imaginary parts lie apart, so that the compiler works on several at once.
package struct ComplexFFT: ~Copyable {
  package let size: Int
  private let cosines: UnsafeMutablePointer<Float>
  private let sines: UnsafeMutablePointer<Float>

  /// `size` is a power of 4 with an odd exponent: 64, 1024, 16384.
  package init(size: Int) {
    precondition(
      size.nonzeroBitCount == 1 && size.trailingZeroBitCount % 4 == 2,
      "not a power of 4 with an odd exponent")
    self.size = size
    cosines = .allocate(capacity: size)
    sines = .allocate(capacity: size)
    for index in 0..<size {
      let angle = -2 * Double.pi * Double(index) / Double(size)
      (cosines + index).initialize(to: Float(cos(angle)))
      (sines + index).initialize(to: Float(sin(angle)))
    }
  }

  deinit {
    cosines.deallocate()
    sines.deallocate()
  }

  /// Each pointer has `size` values. The input is lost. Swapping the parts of input and output makes
  /// it the inverse, times `size`. No allocation.
  package func transform(
    _ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>,
    into outputReal: UnsafeMutablePointer<Float>,
    _ outputImaginary: UnsafeMutablePointer<Float>
  ) {
    var source = (real, imaginary)
    var target = (outputReal, outputImaginary)
    var stride = 1
    while stride < size {
      stage(source, target, stride)
      swap(&source, &target)
      stride *= 4
    }
  }

  private typealias Parts = (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)

  private func stage(_ source: Parts, _ target: Parts, _ stride: Int) {
    let quarter = size / 4
    let butterflies = quarter / stride
    for p in 0..<butterflies {
      let (c1, s1) = (cosines[p * stride], sines[p * stride])
      let (c2, s2) = (cosines[2 * p * stride], sines[2 * p * stride])
      let (c3, s3) = (cosines[3 * p * stride], sines[3 * p * stride])
      let (xr, xi) = (source.0 + stride * p, source.1 + stride * p)
      let (yr, yi) = (target.0 + stride * 4 * p, target.1 + stride * 4 * p)
      for q in 0..<stride {
        let (ar, ai) = (xr[q], xi[q])
        let (br, bi) = (xr[q + quarter], xi[q + quarter])
        let (cr, ci) = (xr[q + 2 * quarter], xi[q + 2 * quarter])
        let (dr, di) = (xr[q + 3 * quarter], xi[q + 3 * quarter])
        let (sumR, sumI) = (ar + cr, ai + ci)
        let (differenceR, differenceI) = (ar - cr, ai - ci)
        let (otherR, otherI) = (br + dr, bi + di)
        let (turnedR, turnedI) = (di - bi, br - dr)  // i (b - d)
        yr[q] = sumR + otherR
        yi[q] = sumI + otherI
        let (r1, i1) = (differenceR - turnedR, differenceI - turnedI)
        yr[q + stride] = r1 * c1 - i1 * s1
        yi[q + stride] = r1 * s1 + i1 * c1
        let (r2, i2) = (sumR - otherR, sumI - otherI)
        yr[q + 2 * stride] = r2 * c2 - i2 * s2
        yi[q + 2 * stride] = r2 * s2 + i2 * c2
        let (r3, i3) = (differenceR + turnedR, differenceI + turnedI)
        yr[q + 3 * stride] = r3 * c3 - i3 * s3
        yi[q + 3 * stride] = r3 * s3 + i3 * c3
      }
    }
  }
}
