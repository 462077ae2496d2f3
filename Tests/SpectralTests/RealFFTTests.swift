import Spectral
import Testing
import TestAudio

#if canImport(Glibc)
  import Glibc
#endif

struct RealFFTTests {
  @Test(arguments: [64, 1024])
  func aTransformIsTheSumThatItStandsFor(size: Int) {
    let samples = Signals.noise(size, seed: 1)
    var memory = Signals.silence(2 * Spectrum.binCount(size))
    memory.withUnsafeMutableBufferPointer { memory in
      let bins = Spectrum(at: memory.baseAddress!, samples: size)
      RealFFT(size: size).forward(samples, into: bins)
      for bin in [0, 1, 7, size / 2] {
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

  @Test func backAndForthIsTheSameTimesTheSize() {
    let fft = RealFFT(size: 1024)
    let signal = Signals.noise(1024)
    var back = Signals.silence(1024)
    var memory = Signals.silence(2 * Spectrum.binCount(1024))
    memory.withUnsafeMutableBufferPointer { memory in
      let bins = Spectrum(at: memory.baseAddress!, samples: 1024)
      fft.forward(signal, into: bins)
      fft.inverse(bins, into: &back)
    }
    #expect(zip(back, signal).allSatisfy { abs($0 / 1024 - $1) < 1e-6 })
  }
}
