#if canImport(Glibc)
  internal import Glibc
#endif

/// A Butterworth high-pass filter of second order without latency, from R. Bristow-Johnson's
/// "Cookbook formulae for audio EQ biquad filter coefficients".
public struct HighPassFilter: ~Copyable {
  private let b: (Float, Float, Float)
  private let a: (Float, Float)
  private let channelCount: Int
  private let state: UnsafeMutablePointer<(Float, Float)>

  /// Creates a filter whose response is 3 dB down at `cutoff` Hz.
  public init(cutoff: Float, rate: SampleRate, channelCount: Int) {
    let omega = 2 * Float.pi * cutoff / Float(rate.hertz)
    let alpha = sinf(omega) / (2 * Float(0.5).squareRoot())
    let cosine = cosf(omega)
    let scale = 1 / (1 + alpha)
    b = ((1 + cosine) / 2 * scale, -(1 + cosine) * scale, (1 + cosine) / 2 * scale)
    a = (-2 * cosine * scale, (1 - alpha) * scale)
    self.channelCount = channelCount
    state = .allocate(capacity: channelCount)
    state.initialize(repeating: (0, 0), count: channelCount)
  }

  deinit { state.deallocate() }

  /// Filters a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    for channel in 0..<channelCount {
      var (s1, s2) = state[channel]
      let (source, target) = (input.plane(channel), output.plane(channel))
      for index in 0..<source.count {
        let x = source[index]
        let y = b.0 * x + s1
        s1 = b.1 * x - a.0 * y + s2
        s2 = b.2 * x - a.1 * y
        target[index] = y
      }
      // Denormal numbers in a decaying tail are slow to compute and inaudible.
      state[channel] = (abs(s1) < 1e-20 ? 0 : s1, abs(s2) < 1e-20 ? 0 : s2)
    }
  }
}
