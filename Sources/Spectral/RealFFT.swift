#if canImport(Glibc)
  internal import Glibc
#endif
internal import CKernels

/// The discrete Fourier transform of real samples. `Fourier.h` in CKernels computes it.
package struct RealFFT: ~Copyable {
  package static let smallestSize = 32

  /// Returns the smallest power of two of a transform that holds `count` samples.
  package static func size(atLeast count: Int) -> Int {
    var size = smallestSize
    while size < count { size *= 2 }
    return size
  }

  /// Returns the smallest size of a transform that holds `count` samples.
  package static func tightSize(atLeast count: Int) -> Int {
    var size = smallestSize
    while size < count || !isPossible(size) { size += smallestSize }
    return size
  }

  package let size: Int
  private let kernels: Kernels
  /// The roots of the passes, those of the whole size, and memory for intermediate results.
  private let memory: FloatBuffer
  private let plan: ck_fourier

  /// Plans transforms of `size` samples, a product of `smallestSize` and of powers of 2, 3 and 5.
  /// With `.baseline` kernels, all processors of a kind compute the same bits.
  package init(size: Int, kernels: Kernels) {
    precondition(Self.isPossible(size), "not 32 times a product of powers of 2, 3 and 5")
    self.size = size
    self.kernels = kernels
    let (half, quarter) = (size / 2, size / 4)
    let rootCount = Self.passes(half).reduce(0) { $0 + 2 * ($1.radix - 1) * $1.part }
    memory = FloatBuffer(rootCount + 2 * quarter + 2 * size)
    let roots = memory.start + rootCount
    plan = ck_fourier(
      size: Int32(size), roots: roots, half_roots: memory.start, memory: roots + 2 * quarter)
    for index in 0..<quarter { put(index + 1, of: size, at: roots + index, distance: quarter) }
    var next = memory.start
    for (radix, part) in Self.passes(half) {
      for power in 1..<radix {
        for index in 0..<part {
          put(power * index, of: radix * part, at: next + index, distance: part)
        }
        next += 2 * part
      }
    }
  }

  private static func isPossible(_ size: Int) -> Bool {
    guard size >= smallestSize && size.isMultiple(of: smallestSize) else { return false }
    var rest = size
    for factor in [2, 3, 5] {
      while rest.isMultiple(of: factor) { rest /= factor }
    }
    return rest == 1
  }

  /// The passes of a transform: the radix of each, and the part of the transform that is left.
  private static func passes(_ size: Int) -> [(radix: Int, part: Int)] {
    var passes: [(radix: Int, part: Int)] = []
    var length = size
    while length > 1 {
      let radix = Int(ck_radix(Int32(length)))
      length /= radix
      passes.append((radix, length))
    }
    return passes
  }

  /// Puts a power of the first root of unity, its imaginary part at a distance from the real part.
  private func put(
    _ power: Int, of size: Int, at place: UnsafeMutablePointer<Float>, distance: Int
  ) {
    let angle = -2 * Double.pi * Double(power) / Double(size)
    place[0] = Float(cos(angle))
    place[distance] = Float(sin(angle))
  }

  /// Transforms `size` samples into their spectrum. Does not allocate.
  package func forward(_ samples: UnsafePointer<Float>, into bins: Spectrum) {
    withUnsafePointer(to: plan) { kernels.table.to_spectrum($0, samples, bins.mutableForC) }
  }

  /// Transforms a spectrum into its samples, scaled by `size`. Does not allocate.
  package func inverse(_ bins: Spectrum, into samples: UnsafeMutablePointer<Float>) {
    withUnsafePointer(to: plan) { kernels.table.to_samples($0, bins.forC, samples) }
  }
}
