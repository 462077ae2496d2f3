package import CKernels

/// The inner loops of Fourier transforms, of the adaptive filter and of the network, for one kind of
/// processor.
///
/// The table has only constant functions.
package struct Kernels: @unchecked Sendable, CustomStringConvertible {
  /// Array sizes are multiples of this.
  package static let width = Int(CK_WIDTH)

  /// The fastest kernels that this processor can run.
  package static let best = Kernels(ck_best())

  /// The kernels that every processor of this architecture can run.
  package static let baseline = Kernels(ck_available(0))

  /// All kernels that this processor can run, the slowest first.
  package static var available: [Kernels] {
    var found: [Kernels] = []
    while let next = ck_available(Int32(found.count)) { found.append(Kernels(next)) }
    return found
  }

  /// Returns the smallest multiple of the width that is at least `count`.
  package static func padded(_ count: Int) -> Int { (count + width - 1) / width * width }

  package let table: ck_kernels

  private init(_ table: UnsafePointer<ck_kernels>) { self.table = table.pointee }

  /// Computes the sum of the products of `count` values, a multiple of the width, with those of `others`
  /// from each place on. `sums` has room for a multiple of 4 places, and `others` that many values more.
  /// Runs per frame: no allocation, lock, log or await.
  package func correlate(
    _ values: UnsafePointer<Float>, _ others: UnsafePointer<Float>, count: Int,
    into sums: borrowing FloatBuffer
  ) {
    table.correlate(values, others, Int32(count), sums.start, Int32(sums.count))
  }

  /// Filters as many samples as `output` has, a multiple of the width. There are as many samples before
  /// `input` as there are coefficients. Runs per frame: no allocation, lock, log or await.
  package func filter(
    _ input: UnsafePointer<Float>, _ coefficients: borrowing FloatBuffer,
    into output: borrowing FloatBuffer
  ) {
    table.filter(
      input, coefficients.start, Int32(coefficients.count), output.start, Int32(output.count))
  }

  package var description: String { String(cString: table.name) }
}

extension Spectrum {
  package var forC: ck_complex { ck_complex(real: real, imaginary: imaginary) }
  package var mutableForC: ck_mutable_complex {
    ck_mutable_complex(real: real, imaginary: imaginary)
  }
}
