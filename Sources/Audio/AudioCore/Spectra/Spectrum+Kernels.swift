package import CKernels

extension Spectrum {
  package var forC: ck_complex { ck_complex(real: real, imaginary: imaginary) }
  package var mutableForC: ck_mutable_complex {
    ck_mutable_complex(real: real, imaginary: imaginary)
  }
}
