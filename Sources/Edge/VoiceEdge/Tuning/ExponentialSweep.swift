internal import AudioCore
internal import Foundation

/// A sine whose frequency grows exponentially, and the response that a recording of it shows (A. Farina,
/// "Simultaneous Measurement of Impulse Response and Distortion with a Swept-Sine Technique", AES 108,
/// 2000). Distortion precedes the response and is left out.
struct ExponentialSweep: Sendable {
  static let duration = 3.0
  private static let first = 50.0
  private static let edge = 0.02
  /// The parts of the response that count: before and after its peak, in seconds.
  private static let before = 0.005
  private static let after = 0.08
  /// The ratio of the peak to the mean square, in dB, above which a sweep was heard. Noise has 21 dB.
  private static let leastClearness = 30.0

  let rate: Double
  let samples: [Float]

  /// Creates a sweep. `level` is the level of its peak in dBFS.
  init(rate: Double, level: Double) {
    self.rate = rate
    let last = min(20_000, 0.45 * rate)
    let speed = log(last / Self.first)
    let amplitude = pow(10, level / 20)
    samples = (0..<Int(Self.duration * rate)).map { index in
      let time = Double(index) / rate
      let phase =
        2 * Double.pi * Self.first * Self.duration / speed
        * (exp(time / Self.duration * speed) - 1)
      let fade = min(1, min(time, Self.duration - time) / Self.edge)
      return Float(amplitude * fade * sin(phase))
    }
  }

  /// The response of a path.
  struct Response: Sendable {
    /// The delay in samples.
    var delay: Int
    /// The impulse response around its peak.
    var impulse: [Float]
    var rate: Double

    /// Returns the level in dB at a frequency in Hz, smoothed over a sixth of an octave.
    func level(at frequency: Double) -> Double {
      let steps = 9
      let power = (0..<steps).reduce(0.0) { sum, step in
        let octaves = (Double(step) / Double(steps - 1) - 0.5) / 6
        return sum + self.power(at: frequency * pow(2, octaves))
      }
      return 10 * log10(max(1e-20, power / Double(steps)))
    }

    /// Returns the largest difference in dB from another response within a band in Hz.
    func difference(to other: Response, within band: ClosedRange<Double>) -> Double {
      let steps = 24
      let differences = (0...steps).map { step -> Double in
        let ratio = band.upperBound / band.lowerBound
        let frequency = band.lowerBound * pow(ratio, Double(step) / Double(steps))
        return abs(level(at: frequency) - other.level(at: frequency))
      }
      return differences.max() ?? 0
    }

    private func power(at frequency: Double) -> Double {
      let angle = 2 * Double.pi * frequency / rate
      // Goertzel's recursion.
      let factor = 2 * cos(angle)
      var (s1, s2) = (0.0, 0.0)
      for sample in impulse { (s1, s2) = (Double(sample) + factor * s1 - s2, s1) }
      return s1 * s1 + s2 * s2 - factor * s1 * s2
    }
  }

  /// Returns the response in a recording, or nil if the sweep was not heard.
  func response(in recording: [Float]) -> Response? {
    let size = RealFFT.size(atLeast: recording.count + samples.count)
    let fft = RealFFT(size: size, kernels: .baseline)
    let bins = Spectrum.binCount(size)
    let played = FloatBuffer(size), heard = FloatBuffer(size)
    let playedBins = FloatBuffer(2 * bins), heardBins = FloatBuffer(2 * bins)
    for index in 0..<size {
      played.start[index] = index < samples.count ? samples[index] : 0
      heard.start[index] = index < recording.count ? recording[index] : 0
    }
    let x = Spectrum(at: playedBins.start, samples: size)
    let y = Spectrum(at: heardBins.start, samples: size)
    fft.forward(played.start, into: x)
    fft.forward(heard.start, into: y)
    var strongest: Float = 0
    for bin in 0..<bins {
      strongest = max(strongest, x.real[bin] * x.real[bin] + x.imaginary[bin] * x.imaginary[bin])
    }
    // Outside of the sweep's frequencies, the division is limited.
    let least = strongest * 1e-6
    for bin in 0..<bins {
      let power = x.real[bin] * x.real[bin] + x.imaginary[bin] * x.imaginary[bin] + least
      let real = y.real[bin] * x.real[bin] + y.imaginary[bin] * x.imaginary[bin]
      let imaginary = y.imaginary[bin] * x.real[bin] - y.real[bin] * x.imaginary[bin]
      (y.real[bin], y.imaginary[bin]) = (real / power, imaginary / power)
    }
    fft.inverse(y, into: heard.start)
    return window(heard.start, size, reach: recording.count)
  }

  private func window(
    _ impulse: UnsafePointer<Float>, _ size: Int, reach: Int
  ) -> Response? {
    var (peak, energy) = (0, 0.0)
    for index in 0..<reach {
      energy += Double(impulse[index] * impulse[index])
      if abs(impulse[index]) > abs(impulse[peak]) { peak = index }
    }
    let mean = energy / Double(max(1, reach))
    let top = Double(impulse[peak] * impulse[peak])
    guard top > 0, 10 * log10(top / max(1e-30, mean)) > Self.leastClearness else { return nil }
    let (before, after) = (Int(Self.before * rate), Int(Self.after * rate))
    let part = (-before..<after).map { offset -> Float in
      let index = peak + offset
      guard (0..<size).contains(index) else { return 0 }
      // Half a Hann window on each side.
      let place =
        offset < 0 ? Double(-offset) / Double(before) : Double(offset) / Double(after)
      return impulse[index] / Float(size) * Float(0.5 + 0.5 * cos(Double.pi * place))
    }
    return Response(delay: peak, impulse: part, rate: rate)
  }
}
