import AudioCore
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct RealFFTTests {
  private static let sizes = [32, 64, 128, 512, 1024, 4096, 96, 288, 480, 160, 320, 640, 960]

  /// Powers of 4 and others, and the smallest. The last ones are 20 ms at each processing rate.
  @Test(arguments: Self.sizes, Kernels.available)
  func aTransformIsTheSumThatItStandsFor(size: Int, kernels: Kernels) {
    let samples = Signals.noise(size, seed: 1)
    var memory = Signals.silence(2 * Spectrum.binCount(size))
    memory.withUnsafeMutableBufferPointer { memory in
      let bins = Spectrum(at: memory.baseAddress!, samples: size)
      RealFFT(size: size, kernels: kernels).forward(samples, into: bins)
      for bin in [0, 1, 2, 3, 4, 7, size / 4 - 1, size / 4, size / 4 + 1, size / 2 - 1, size / 2] {
        var sum = (real: 0.0, imaginary: 0.0)
        for (index, value) in samples.enumerated() {
          let angle = -2 * Double.pi * Double(bin * index % size) / Double(size)
          sum.real += Double(value) * cos(angle)
          sum.imaginary += Double(value) * sin(angle)
        }
        #expect(abs(Double(bins.real[bin]) - sum.real) < 1e-4)
        #expect(abs(Double(bins.imaginary[bin]) - sum.imaginary) < 1e-4)
      }
    }
  }

  @Test(arguments: Self.sizes, Kernels.available)
  func backAndForthIsTheSameTimesTheSize(size: Int, kernels: Kernels) {
    let fft = RealFFT(size: size, kernels: kernels)
    let signal = Signals.noise(size)
    var back = Signals.silence(size)
    var memory = Signals.silence(2 * Spectrum.binCount(size))
    memory.withUnsafeMutableBufferPointer { memory in
      let bins = Spectrum(at: memory.baseAddress!, samples: size)
      fft.forward(signal, into: bins)
      fft.inverse(bins, into: &back)
    }
    #expect(zip(back, signal).allSatisfy { abs($0 / Float(size) - $1) < 1e-6 })
  }
}
