public import AudioCore

/// Delays frames by a time that may change a little with every sample, which resamples them, or at
/// once, with a cross-fade or at an exact sample.
///
/// The delay is a position in the input, not the state of a filter. While it is whole and constant,
/// samples pass unchanged, and moving it makes no click. `SincInterpolator` interpolates instead of
/// libsamplerate, whose converters do not tell their position.
public struct VariableResampler: ~Copyable {
  /// The largest slope, in parts per million. Larger ones are limited.
  public static let largestSlope = 1000.0
  /// The least delay that is not whole, in samples: interpolation needs some later samples.
  public static let leastFractionalDelay = Double(SincInterpolator.taps / 2 + 1)

  /// The delay at the end of the last frame, in samples. A negative delay reads samples that arrive
  /// with a later frame of the output.
  public private(set) var delay = 0.0
  /// The growth of the delay, in parts per million.
  public var slope = 0.0
  /// The least and the greatest delay, in samples. Both move with `shiftDelays`.
  public private(set) var shortestDelay = 0.0
  public var longestDelay: Double { shortestDelay + span }
  private let span: Double
  /// The delay at which the next frame begins, in samples.
  var nextDelay: Double { next ?? delay }
  private var next: Double?  // the delay to which the next frame changes
  private var seam: Int64?  // the sample of the input at which it changes; nil for a cross-fade
  private var silentBefore: Int64?  // no sample of the input before this one is read again
  private let channelCount: Int
  private let capacity: Int
  private let storage: FloatBuffer  // channel after channel, each with its first samples repeated
  private let interpolator = SincInterpolator.shared
  private let fading: Frame
  private var written: Int64 = 0  // samples of the input
  private var fetched: Int64 = 0  // samples of the output

  /// Creates a resampler with delays of 0 to `longestDelay` samples.
  public init(rate: SampleRate, channelCount: Int, longestDelay: Int) {
    self.channelCount = channelCount
    span = Double(longestDelay)
    capacity = longestDelay + 2 * rate.samplesPerFrame + 2 * SincInterpolator.taps
    storage = FloatBuffer((capacity + SincInterpolator.taps) * channelCount)
    fading = Frame(rate: rate, channelCount: channelCount)
  }

  /// Changes the delay, in samples, from the next frame on, which fades from one delay to the
  /// other. The delay is limited to the shortest and the longest.
  public mutating func move(to delay: Double) {
    let target = max(shortestDelay, min(longestDelay, delay))
    (seam, silentBefore) = (nil, nil)
    next = target != target.rounded() ? max(target, shortestFractionalDelay) : target
  }

  /// Changes the delay where the next frame reaches a sample of the input. A longer delay inserts
  /// silence before this sample, and a shorter one leaves out the samples from this one on. Without
  /// room for the delay, or if the frame does not contain the sample, this is `move`.
  public mutating func move(by samples: Int64, at sample: Int64) {
    let place = Double(sample - fetched) + nextDelay
    let wanted = nextDelay + Double(samples)
    move(to: wanted)
    if next == wanted, (0..<Double(fading.sampleCount)).contains(place) { seam = sample }
  }

  /// Moves the range of delays, if the input runs ahead of the output or behind it. The delay
  /// itself does not change.
  mutating func shiftDelays(to shortestDelay: Double) { self.shortestDelay = shortestDelay }

  /// The shortest delay that may be fractional, in samples.
  var shortestFractionalDelay: Double { shortestDelay + Self.leastFractionalDelay }

  /// Adds the next frame. The input may be at most one frame ahead of the output. Runs per
  /// frame: no allocation, lock, log or await.
  public mutating func write(_ input: borrowing Frame) {
    let size = input.sampleCount
    let start = Int(written % Int64(capacity))
    for channel in 0..<channelCount {
      let ring = storage.start + channel * (capacity + SincInterpolator.taps)
      let source = input.planePointers[channel]
      let first = min(size, capacity - start)
      (ring + start).update(from: source, count: first)
      ring.update(from: source + first, count: size - first)
      if start < SincInterpolator.taps || first < size {
        (ring + capacity).update(from: ring, count: SincInterpolator.taps)
      }
    }
    written += Int64(size)
  }

  /// Returns whether the input of the next frame will be complete after `count` more frames. With a
  /// long delay, frames may be late.
  public func hasNextFrame(afterFrames count: Int = 0) -> Bool {
    let start = next ?? delay
    let change = growth(from: start)
    let least = min(start, start + change, delay).rounded(.down)
    let isWhole = change == 0 && start == start.rounded() && delay == delay.rounded()
    let reach = isWhole ? 0 : SincInterpolator.taps / 2
    let available = written + Int64(count * fading.sampleCount)
    return available >= fetched + Int64(fading.sampleCount + reach) - Int64(least)
  }

  /// Reads the next frame, or silence if its input is not complete. Runs per frame: no allocation,
  /// lock, log or await.
  public mutating func read(into output: borrowing Frame) {
    let isHere = hasNextFrame()
    let start = next ?? delay
    let change = growth(from: start)
    if isHere { read(from: start, growingBy: change, into: output) } else { output.clear() }
    if isHere, next != nil {
      read(from: delay, growingBy: 0, into: fading)
      if let seam { join(at: seam, start, into: output) } else { fade(into: output) }
    }
    if let sample = silentBefore { silence(before: sample, start, in: output) }
    (next, seam) = (nil, nil)
    delay = start + change
    fetched += Int64(output.sampleCount)
  }

  /// Returns the index in the next frame at which a sample of the input is read, in 0 to the frame's
  /// size.
  private func index(of sample: Int64, _ delay: Double) -> Int {
    max(0, min(fading.sampleCount, Int((Double(sample - fetched) + delay).rounded())))
  }

  private mutating func join(at sample: Int64, _ newDelay: Double, into output: borrowing Frame) {
    let count = index(of: sample, delay)
    for channel in 0..<channelCount {
      output.planePointers[channel].update(from: fading.planePointers[channel], count: count)
    }
    if newDelay > delay { silentBefore = sample }
  }

  private mutating func silence(
    before sample: Int64, _ newDelay: Double, in output: borrowing Frame
  ) {
    let (first, end) = (seam == nil ? 0 : index(of: sample, delay), index(of: sample, newDelay))
    for channel in 0..<channelCount where first < end {
      (output.planePointers[channel] + first).update(repeating: 0, count: end - first)
    }
    if end < output.sampleCount { silentBefore = nil }
  }

  private func fade(into output: borrowing Frame) {
    let step = 1 / Float(output.sampleCount)
    for channel in 0..<channelCount {
      let (old, target) = (fading.planePointers[channel], output.planePointers[channel])
      for index in 0..<output.sampleCount {
        target[index] = old[index] + (target[index] - old[index]) * Float(index + 1) * step
      }
    }
  }

  /// Returns the growth of the delay over a frame, in samples, as far as there is room.
  private func growth(from start: Double) -> Double {
    guard slope != 0, slope.isFinite, start >= shortestFractionalDelay else { return 0 }
    let limited = max(-Self.largestSlope, min(Self.largestSlope, slope))
    let end = start + limited * 1e-6 * Double(fading.sampleCount)
    return max(shortestFractionalDelay, min(longestDelay, end)) - start
  }

  private func read(from start: Double, growingBy change: Double, into output: borrowing Frame) {
    let size = output.sampleCount
    let isWhole = change == 0 && start == start.rounded()
    let step = 1 - change / Double(size)
    let next = Int(fetched % Int64(capacity)) + 2 * capacity
    // Subtracting whole turns of the ring is exact, so the rest is as precise after a day as in the
    // first minute.
    let turns = (start / Double(capacity)).rounded(.down) * Double(capacity)
    let start = start - turns
    for channel in 0..<channelCount {
      let ring = storage.start + channel * (capacity + SincInterpolator.taps)
      let target = output.planePointers[channel]
      if isWhole {
        let index = (next - Int(start)) % capacity
        let first = min(size, capacity - index)
        target.update(from: ring + index, count: first)
        (target + first).update(from: ring, count: size - first)
      } else {
        let origin = Double(next - SincInterpolator.reachBefore) - start
        for sample in 0..<size {
          let position = origin + Double(sample) * step
          let whole = Int(position)
          target[sample] = interpolator.value(
            ring + whole % capacity, position - Double(whole))
        }
      }
    }
  }
}
