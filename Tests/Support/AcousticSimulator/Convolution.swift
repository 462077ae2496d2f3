internal import AudioCore

/// Returns the convolution of a signal with an impulse response, by overlap and save.
func convolve(_ signal: [Float], _ response: [Float]) -> [Float] {
  let size = RealFFT.size(atLeast: max(4096, 4 * response.count))
  let hop = size - response.count
  let fft = RealFFT(size: size, kernels: .baseline)
  let bins = Spectrum.binCount(size)
  let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * size + 4 * bins)
  memory.initialize(repeating: 0, count: 2 * size + 4 * bins)
  defer { memory.deallocate() }
  let (block, filtered) = (memory, memory + size)
  let path = Spectrum(at: memory + 2 * size, samples: size)
  let spectrum = Spectrum(at: memory + 2 * size + 2 * bins, samples: size)
  for index in response.indices { block[index] = response[index] }
  fft.forward(block, into: path)
  var result = [Float](repeating: 0, count: signal.count)
  for start in stride(from: 0, to: signal.count, by: hop) {
    for index in 0..<size {
      let position = start - response.count + index
      block[index] = signal.indices.contains(position) ? signal[position] : 0
    }
    fft.forward(block, into: spectrum)
    for bin in 0..<bins {
      let (real, imaginary) = (spectrum.real[bin], spectrum.imaginary[bin])
      spectrum.real[bin] = real * path.real[bin] - imaginary * path.imaginary[bin]
      spectrum.imaginary[bin] = real * path.imaginary[bin] + imaginary * path.real[bin]
    }
    fft.inverse(spectrum, into: filtered)
    for index in start..<min(start + hop, signal.count) {
      result[index] = filtered[index - start + response.count] / Float(size)
    }
  }
  return result
}
