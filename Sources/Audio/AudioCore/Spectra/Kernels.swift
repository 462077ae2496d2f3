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

  package var description: String { String(cString: table.name) }
}

extension Spectrum {
  package var forC: ck_complex { ck_complex(real: real, imaginary: imaginary) }
  package var mutableForC: ck_mutable_complex {
    ck_mutable_complex(real: real, imaginary: imaginary)
  }
}
