import Alignment
import Testing
import TestAudio

#if canImport(Glibc)
  import Glibc
#endif

struct ComplexFFTTests {
  @Test(arguments: [64, 1024])
  func aTransformIsTheSumThatItStandsFor(size: Int) {
    let fft = ComplexFFT(size: size)
    var (real, imaginary) = (Signals.noise(size, seed: 1), Signals.noise(size, seed: 2))
    let input = zip(real, imaginary).map { (Double($0), Double($1)) }
    var (outputReal, outputImaginary) = (Signals.silence(size), Signals.silence(size))
    fft.transform(&real, &imaginary, into: &outputReal, &outputImaginary)
    for bin in [0, 1, 7, size / 2, size - 1] {
      var (sumReal, sumImaginary) = (0.0, 0.0)
      for (index, value) in input.enumerated() {
        let angle = -2 * Double.pi * Double(bin * index % size) / Double(size)
        sumReal += value.0 * cos(angle) - value.1 * sin(angle)
        sumImaginary += value.0 * sin(angle) + value.1 * cos(angle)
      }
      #expect(abs(Double(outputReal[bin]) - sumReal) < 1e-4)
      #expect(abs(Double(outputImaginary[bin]) - sumImaginary) < 1e-4)
    }
  }

  @Test func backAndForthIsTheSameTimesTheSize() {
    let fft = ComplexFFT(size: 1024)
    let signal = Signals.noise(1024)
    var (real, imaginary) = (signal, Signals.silence(1024))
    var (outputReal, outputImaginary) = (Signals.silence(1024), Signals.silence(1024))
    fft.transform(&real, &imaginary, into: &outputReal, &outputImaginary)
    fft.transform(&outputImaginary, &outputReal, into: &imaginary, &real)
    #expect(zip(real, signal).allSatisfy { abs($0 / 1024 - $1) < 1e-6 })
  }
}
