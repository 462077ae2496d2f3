public import AudioCore
internal import Spectral

/// Delays frames by a time that may change a little with every sample, which is to resample them, or
/// all at once, with a cross-fade.
///
/// The delay is a position in what was played, not a state of a filter: while it is whole and stands
/// still, the samples pass untouched, and moving it makes no click. Interpolation as in
/// `SincInterpolator`, in place of libsamplerate, whose converters know no position.
public struct VariableResampler: ~Copyable {
  /// In parts per million of the samples; more is cut off.
  public static let largestSlope = 1000.0
  /// Between samples it needs some of those after.
  public static let leastFractionalDelay = Double(SincInterpolator.taps / 2 + 1)

  /// The delay at the end of the last frame, in samples. A delay below zero reads what comes with a
  /// later frame of the output.
  public private(set) var delay = 0.0
  /// The growth of the delay, in parts per million of the time.
  public var slope = 0.0
  /// The least and the greatest delay, in samples. Both move with `shiftDelays`.
  public private(set) var shortestDelay = 0.0
  public var longestDelay: Double { shortestDelay + span }
  private let span: Double
  /// In samples, where the next frame begins.
  var nextDelay: Double { next ?? delay }
  private var next: Double?  // where the next frame fades to
  private let channelCount: Int
  private let capacity: Int
  private let storage: FloatBuffer  // channel after channel, each with its first samples repeated
  private let interpolator = SincInterpolator.shared
  private let fading: Frame
  private var written: Int64 = 0  // samples that came
  private var fetched: Int64 = 0  // samples that were given

  /// `longestDelay` in samples.
  public init(rate: SampleRate, channelCount: Int, longestDelay: Int) {
    self.channelCount = channelCount
    span = Double(longestDelay)
    capacity = longestDelay + 2 * rate.samplesPerFrame + 2 * SincInterpolator.taps
    storage = FloatBuffer((capacity + SincInterpolator.taps) * channelCount)
    fading = Frame(rate: rate, channelCount: channelCount)
  }

  /// From the next frame on the delay is another, in samples, cut off at 0 and the longest: that
  /// frame fades from one to the other.
  public mutating func move(to delay: Double) {
    let target = max(shortestDelay, min(longestDelay, delay))
    next = target != target.rounded() ? max(target, shortestFractionalDelay) : target
  }

  /// Moves the range of delays, where the input has come to run ahead of the output or behind it.
  /// The delay itself stays.
  mutating func shiftDelays(to shortestDelay: Double) { self.shortestDelay = shortestDelay }

  /// The shortest delay that is not a whole number of samples.
  var shortestFractionalDelay: Double { shortestDelay + Self.leastFractionalDelay }

  /// Takes in the next frame. At most one more than was given may have come. Runs per frame: no
  /// allocation, lock, log or await.
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

  /// Whether all that the next frame is made of has come, when so many frames more have: with a long
  /// delay they may come late.
  public func hasNextFrame(afterFrames count: Int = 0) -> Bool {
    let start = next ?? delay
    let change = growth(from: start)
    let least = min(start, start + change, delay).rounded(.down)
    let isWhole = change == 0 && start == start.rounded() && delay == delay.rounded()
    let reach = isWhole ? 0 : SincInterpolator.taps / 2
    let available = written + Int64(count * fading.sampleCount)
    return available >= fetched + Int64(fading.sampleCount + reach) - Int64(least)
  }

  /// Gives the next frame, or silence in place of one that has not come as a whole. Runs per frame: no
  /// allocation, lock, log or await.
  public mutating func read(into output: borrowing Frame) {
    let isHere = hasNextFrame()
    let start = next ?? delay
    let change = growth(from: start)
    if isHere { read(from: start, growingBy: change, into: output) } else { output.clear() }
    if isHere, next != nil {
      read(from: delay, growingBy: 0, into: fading)
      fade(into: output)
    }
    next = nil
    delay = start + change
    fetched += Int64(output.sampleCount)
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

  /// In samples over a frame, as far as there is room for it.
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
    // Whole turns of the ring are taken off, which is exact: the rest is as precise after a day as in
    // the first minute.
    let turns = (start / Double(capacity)).rounded(.down) * Double(capacity)
    let start = start - turns
    for channel in 0..<channelCount {
      let ring = storage.start + channel * (capacity + SincInterpolator.taps)
      let target = output.planePointers[channel]
      if isWhole {
        var index = (next - Int(start)) % capacity
        for sample in 0..<size {
          target[sample] = ring[index]
          index = index + 1 == capacity ? 0 : index + 1
        }
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
