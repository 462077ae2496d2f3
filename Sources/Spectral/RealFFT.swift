#if canImport(Glibc)
  internal import Glibc
#endif

/// The discrete Fourier transform of real samples: even and odd samples are the real and imaginary
/// parts of a complex transform of half the size (J. Cooley, P. Lewis and P. Welch, "The Fast
/// Fourier Transform Algorithm: Programming Considerations in the Calculation of Sine, Cosine and
/// Laplace Transforms", 1970).
package struct RealFFT: ~Copyable {
  package static let smallestSize = 2 * ComplexFFT.smallestSize

  /// Returns the smallest power of two of a transform that holds `count` samples.
  package static func size(atLeast count: Int) -> Int {
    var size = smallestSize
    while size < count { size *= 2 }
    return size
  }

  package let size: Int
  private let half: ComplexFFT
  /// The roots of unity of the whole size, from the first on: real parts, then imaginary parts.
  private let roots: FloatBuffer

  /// Plans transforms of `size` samples, a product of `smallestSize` and of powers of 2, 3 and 5.
  package init(size: Int) {
    self.size = size
    half = ComplexFFT(size: size / 2)
    let count = size / 4
    roots = FloatBuffer(2 * count)
    for index in 0..<count {
      let angle = -2 * Double.pi * Double(index + 1) / Double(size)
      roots.start[index] = Float(cos(angle))
      roots.start[count + index] = Float(sin(angle))
    }
  }

  /// Transforms `size` samples into their spectrum. Does not allocate.
  package func forward(_ samples: UnsafePointer<Float>, into bins: Spectrum) {
    let count = size / 2
    var index = 0
    while index < count {
      let pairs = UnsafeRawPointer(samples + 2 * index).loadUnaligned(as: SIMD8<Float>.self)
      Four(pairs.evenHalf, pairs.oddHalf).store(half.input, index)
      index += 4
    }
    let found = half.transform()
    bins.real[0] = found.real[0] + found.imaginary[0]
    bins.imaginary[0] = 0
    bins.real[count] = found.real[0] - found.imaginary[0]
    bins.imaginary[count] = 0
    let target = ComplexFFT.Values(real: bins.real, imaginary: bins.imaginary)
    forEachFour { low, high, root in
      let (even, odd) = Self.parts(found, low, high)
      // The odd samples' spectrum is that difference, divided by 2i.
      let turned = Four(odd.imaginary, -odd.real).turned(by: root)
      (even + turned).halved.store(target, low)
      (even - turned).halved.mirrored.store(target, high)
    }
  }

  /// Transforms a spectrum into its samples, scaled by `size`. Does not allocate.
  package func inverse(_ bins: Spectrum, into samples: UnsafeMutablePointer<Float>) {
    let count = size / 2
    let source = ComplexFFT.Values(real: bins.real, imaginary: bins.imaginary)
    half.input.real[0] = bins.real[0] + bins.real[count]
    half.input.imaginary[0] = bins.real[0] - bins.real[count]
    forEachFour { low, high, root in
      let (even, odd) = Self.parts(source, low, high)
      let back = odd.turned(by: Four(root.real, -root.imaginary))
      let turned = Four(-back.imaginary, back.real)
      (even + turned).store(half.input, low)
      (even - turned).mirrored.store(half.input, high)
    }
    let found = half.transformBack()
    var index = 0
    while index < count {
      let four = Four(found, index)
      var pairs = SIMD8<Float>()
      (pairs.evenHalf, pairs.oddHalf) = (four.real, four.imaginary)
      UnsafeMutableRawPointer(samples + 2 * index).storeBytes(of: pairs, as: SIMD8<Float>.self)
      index += 4
    }
  }

  /// Calls with four indexes above 0, from the first on, and their mirror images, from the last on.
  @inline(__always)
  private func forEachFour(_ body: (_ low: Int, _ high: Int, _ root: Four) -> Void) {
    let count = size / 4
    var index = 0
    while index < count {
      body(index + 1, size / 2 - index - 4, Four(roots.start + index, count))
      index += 4
    }
  }

  /// Twice the parts of a spectrum that belong to the real and to the imaginary parts of the
  /// samples.
  @inline(__always)
  private static func parts(
    _ values: ComplexFFT.Values, _ low: Int, _ high: Int
  ) -> (even: Four, odd: Four) {
    let left = Four(values, low)
    let right = Four(values, high).mirrored
    return (left + right, left - right)
  }
}
