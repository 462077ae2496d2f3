internal import AudioCore

/// Keeps a sum of signals within full scale. The gain falls at once and rises again in about 50 ms. A
/// signal that fits is unchanged. The limiter has no look-ahead, and so no delay.
struct Limiter {
  private static let releaseSeconds: Float = 0.05

  private let release: Float  // share of the missing gain that comes back with each sample
  private var gain: Float = 1

  init(rate: SampleRate) {
    release = 1 / (Self.releaseSeconds * Float(rate.hertz))
  }

  /// Lowers a frame in place, all channels alike. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ frame: borrowing Frame) {
    guard gain < 1 || frame.peak > 1 else { return }
    let planes = frame.planePointers
    for index in 0..<frame.sampleCount {
      var peak: Float = 0
      for channel in 0..<frame.channelCount { peak = max(peak, abs(planes[channel][index])) }
      gain = min(gain + (1 - gain) * release, peak > 1 ? 1 / peak : 1)
      for channel in 0..<frame.channelCount { planes[channel][index] *= gain }
    }
    if gain > 0.9999 { gain = 1 }
  }
}
