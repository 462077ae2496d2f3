internal import Spectral

/// A convolution with an impulse response, block by block and without delay: overlap and save with
/// a response in parts of one block (T. Stockham, "High-speed convolution and correlation", 1966).
struct LiveConvolver: ~Copyable {
  private let block: Int
  private let bins: Int
  private let partCount: Int
  private let fft: RealFFT
  private let memory: UnsafeMutablePointer<Float>
  private var newest = 0

  init(_ response: [Float], block: Int) {
    self.block = block
    let bins = Spectrum.binCount(2 * block)
    let partCount = max(1, (response.count + block - 1) / block)
    (self.bins, self.partCount) = (bins, partCount)
    fft = RealFFT(size: 2 * block)
    let count = 4 * block + 2 * bins * (2 * partCount + 1)
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
    for part in 0..<partCount {
      for index in 0..<block where part * block + index < response.count {
        memory[index] = response[part * block + index]
      }
      fft.forward(memory, into: spectrum(1 + partCount + part))
      memory.update(repeating: 0, count: 2 * block)
    }
  }

  deinit { memory.deallocate() }

  /// Convolves one block of samples.
  mutating func process(_ samples: [Float]) -> [Float] {
    let (input, output) = (memory, memory + 2 * block)
    input.update(from: input + block, count: block)
    for index in 0..<block { input[block + index] = samples[index] }
    newest = (newest + partCount - 1) % partCount
    fft.forward(input, into: spectrum(1 + newest))
    let sum = spectrum(0)
    for bin in 0..<bins { (sum.real[bin], sum.imaginary[bin]) = (0, 0) }
    for part in 0..<partCount {
      let past = spectrum(1 + (newest + part) % partCount)
      let path = spectrum(1 + partCount + part)
      for bin in 0..<bins {
        let (real, imaginary) = (past.real[bin], past.imaginary[bin])
        sum.real[bin] += real * path.real[bin] - imaginary * path.imaginary[bin]
        sum.imaginary[bin] += real * path.imaginary[bin] + imaginary * path.real[bin]
      }
    }
    fft.inverse(sum, into: output)
    return (0..<block).map { output[block + $0] / Float(2 * block) }
  }

  /// Returns a spectrum: index 0 is the sum. The spectra of the last blocks follow, then those of
  /// the response's parts.
  private func spectrum(_ index: Int) -> Spectrum {
    Spectrum(at: memory + 4 * block + 2 * bins * index, samples: 2 * block)
  }
}
