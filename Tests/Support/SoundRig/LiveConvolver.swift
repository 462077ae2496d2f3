internal import AudioCore

/// A convolution with an impulse response, block by block and without delay: overlap and save with
/// a response in parts of one block (T. Stockham, "High-speed convolution and correlation", 1966).
struct LiveConvolver: ~Copyable {
  private let block: Int
  /// The samples of a transform: two blocks at least.
  private let size: Int
  private let bins: Int
  private let partCount: Int
  private let fft: RealFFT
  private let memory: UnsafeMutablePointer<Float>
  private var newest = 0

  init(_ response: [Float], block: Int) {
    self.block = block
    size = RealFFT.size(atLeast: 2 * block)
    let bins = Spectrum.binCount(size)
    let partCount = max(1, (response.count + block - 1) / block)
    (self.bins, self.partCount) = (bins, partCount)
    fft = RealFFT(size: size, kernels: .baseline)
    let count = 2 * size + 2 * bins * (2 * partCount + 1)
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
    for part in 0..<partCount {
      for index in 0..<block where part * block + index < response.count {
        memory[index] = response[part * block + index]
      }
      fft.forward(memory, into: spectrum(1 + partCount + part))
      memory.update(repeating: 0, count: size)
    }
  }

  deinit { memory.deallocate() }

  /// Convolves one block of samples.
  mutating func process(_ samples: [Float]) -> [Float] {
    let (input, output) = (memory, memory + size)
    input.update(from: input + block, count: size - block)
    for index in 0..<block { input[size - block + index] = samples[index] }
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
    return (0..<block).map { output[size - block + $0] / Float(size) }
  }

  /// Returns a spectrum: index 0 is the sum. The spectra of the last blocks follow, then those of
  /// the response's parts.
  private func spectrum(_ index: Int) -> Spectrum {
    Spectrum(at: memory + 2 * size + 2 * bins * index, samples: size)
  }
}
