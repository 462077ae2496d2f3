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

  /// The roots by the size of the transform.
  private static let tables = SharedTables()

  package let size: Int
  private let kernels: Kernels
  /// The roots of the passes, then those of the whole size.
  private let roots: FloatTable
  private let memory: FloatBuffer
  private let plan: ck_fourier

  /// Plans transforms of `size` samples, a product of `smallestSize` and of powers of 2, 3 and 5.
  /// With `.baseline` kernels, all processors of a kind compute the same bits.
  ///
  /// - Parameter work: `2 * size` floats for intermediate results, which the caller owns. Nil means
  ///   that the transform has its own.
  package init(size: Int, kernels: Kernels, work: UnsafeMutablePointer<Float>? = nil) {
    precondition(Self.isPossible(size), "not 32 times a product of powers of 2, 3 and 5")
    self.size = size
    self.kernels = kernels
    let rootCount = Self.passes(size / 2).reduce(0) { $0 + 2 * ($1.radix - 1) * $1.part }
    roots = Self.tables.table(size) {
      FloatTable(rootCount + size / 2) { Self.putRoots(of: size, at: $0, rootCount) }
    }
    memory = FloatBuffer(work == nil ? 2 * size : 0)
    plan = ck_fourier(
      size: Int32(size), roots: roots.start + rootCount, half_roots: roots.start,
      memory: work ?? memory.start)
  }

  /// Puts `count` roots of the passes, and those of the whole size behind them.
  private static func putRoots(
    of size: Int, at place: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    let quarter = size / 4
    for index in 0..<quarter {
      put(index + 1, of: size, at: place + count + index, distance: quarter)
    }
    var next = place
    for (radix, part) in passes(size / 2) {
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
  private static func put(
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
