internal import AudioCore
#if canImport(Glibc)
  internal import Glibc
#endif

/// Shortens and lengthens sound without a change of pitch: a frame fades from its own position to the
/// position where the sound is most like it.
///
/// The method is WSOLA (W. Verhelst and M. Roelands, "An overlap-add technique based on waveform
/// similarity (WSOLA) for high quality time-scale modification of speech", 1993), with an overlap of
/// 10 ms.
struct FrameSplicer {
  /// Samples whose peak is below this, -54 dBFS, are quiet.
  private static let quiet: Float = 0.002

  private let size: Int
  private let stride: Int
  private let channelCount: Int

  init(format: AudioFormat) {
    size = format.rate.samplesPerFrame
    stride = max(1, format.rate.hertz / 8000)
    channelCount = format.channelCount
  }

  /// Returns the shift within a range at which the sound is most like itself without it, and how
  /// alike both are, 0...1. `direction` is 1 for later samples and -1 for earlier ones. Runs per
  /// frame: no allocation, lock, log or await.
  func bestShift(
    _ source: borrowing InputTimeline, _ range: ClosedRange<Int>, direction: Int
  ) -> (shift: Int, likeness: Float) {
    var best = (shift: range.lowerBound, likeness: -Float.infinity)
    func consider(_ shift: Int, every step: Int) {
      let likeness = likeness(source, direction * shift, every: step)
      if likeness > best.likeness { best = (shift, likeness) }
    }
    // First roughly, at 8 kHz, then to the sample.
    for shift in Swift.stride(from: range.lowerBound, through: range.upperBound, by: stride) {
      consider(shift, every: stride)
    }
    let middle = best.shift
    best.likeness = -.infinity
    let near = max(range.lowerBound, middle - stride)...min(range.upperBound, middle + stride)
    for shift in near { consider(shift, every: 1) }
    return (best.shift, max(0, min(1, best.likeness)))
  }

  /// The normalized cross-correlation of the next frame and of the one that is `shift` samples away.
  private func likeness(
    _ source: borrowing InputTimeline, _ shift: Int, every step: Int
  ) -> Float {
    var product: Float = 0
    var energies: (Float, Float) = (1e-9, 1e-9)
    for channel in 0..<channelCount {
      let samples = source.next(channel)
      for index in Swift.stride(from: 0, to: size, by: step) {
        let (here, there) = (samples[index], samples[index + shift])
        product += here * there
        energies.0 += here * here
        energies.1 += there * there
      }
    }
    return product / (energies.0 * energies.1).squareRoot()
  }

  /// Makes a frame that fades from the next samples to those `shift` samples away, and keeps its level
  /// for sounds that are so much alike. Runs per frame: no allocation, lock, log or await.
  func splice(
    _ source: borrowing InputTimeline, by shift: Int, likeness: Float, into frame: borrowing Frame
  ) {
    let step = 1 / Float(size)
    for channel in 0..<channelCount {
      let samples = source.next(channel)
      let target = frame.planePointers[channel]
      for index in 0..<size {
        let new = Float(index + 1) * step
        let old = 1 - new
        let power = old * old + new * new + 2 * likeness * old * new
        target[index] =
          (old * samples[index] + new * samples[index + shift]) / power.squareRoot()
      }
    }
  }

  /// Counts the quiet samples that come next, in whole frames and `limit` at most.
  /// Runs per frame: no allocation, lock, log or await.
  func quietSamples(_ source: borrowing InputTimeline, limit: Int) -> Int {
    var count = 0
    // The frame that is faded to must be quiet too.
    while count + size <= limit, isQuiet(source, at: count), isQuiet(source, at: count + size) {
      count += size
    }
    return count
  }

  private func isQuiet(_ source: borrowing InputTimeline, at offset: Int) -> Bool {
    for channel in 0..<channelCount {
      let samples = source.next(channel) + offset
      for index in 0..<size where abs(samples[index]) >= Self.quiet { return false }
    }
    return true
  }
}
