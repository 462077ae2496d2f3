internal import Alignment

/// A signal through an impulse response, by overlap and save.
func convolve(_ signal: [Float], _ response: [Float]) -> [Float] {
  let size = 16384
  let hop = size - response.count
  precondition(hop > 0, "a response longer than a transform")
  let fft = ComplexFFT(size: size)
  let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 6 * size)
  buffer.initialize(repeating: 0, count: 6 * size)
  defer { buffer.deallocate() }
  let (real, imaginary) = (buffer, buffer + size)
  let (outReal, outImaginary) = (buffer + 2 * size, buffer + 3 * size)
  let (pathReal, pathImaginary) = (buffer + 4 * size, buffer + 5 * size)
  for index in response.indices { real[index] = response[index] }
  fft.transform(real, imaginary, into: pathReal, pathImaginary)
  var result = [Float](repeating: 0, count: signal.count)
  for start in stride(from: 0, to: signal.count, by: hop) {
    for index in 0..<size {
      let position = start - response.count + index
      real[index] = signal.indices.contains(position) ? signal[position] : 0
      imaginary[index] = 0
    }
    fft.transform(real, imaginary, into: outReal, outImaginary)
    for bin in 0..<size {
      real[bin] = outReal[bin] * pathReal[bin] - outImaginary[bin] * pathImaginary[bin]
      imaginary[bin] = outReal[bin] * pathImaginary[bin] + outImaginary[bin] * pathReal[bin]
    }
    fft.transform(imaginary, real, into: outImaginary, outReal)
    for index in start..<min(start + hop, signal.count) {
      result[index] = outReal[index - start + response.count] / Float(size)
    }
  }
  return result
}
