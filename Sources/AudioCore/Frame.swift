/// 10 ms of audio: one plane of float samples for each channel, nominal range -1...1.
///
/// Allocated once and used again for every frame.
public struct Frame: ~Copyable {
  public let rate: SampleRate
  public let channelCount: Int
  private let planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  /// Silence.
  public init(rate: SampleRate, channelCount: Int) {
    self.rate = rate
    self.channelCount = channelCount
    planes = .allocate(capacity: channelCount)
    for channel in 0..<channelCount {
      let plane = UnsafeMutablePointer<Float>.allocate(capacity: rate.samplesPerFrame)
      plane.initialize(repeating: 0, count: rate.samplesPerFrame)
      planes[channel] = plane
    }
  }

  deinit {
    for channel in 0..<channelCount { planes[channel].deallocate() }
    planes.deallocate()
  }

  /// Samples of one channel.
  public var sampleCount: Int { rate.samplesPerFrame }

  /// The samples of a channel, lent for as long as the frame lives.
  public func plane(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
    precondition(channel >= 0 && channel < channelCount)
    return UnsafeMutableBufferPointer(start: planes[channel], count: sampleCount)
  }

  /// All channels as C wants them, lent for as long as the frame lives.
  public var planePointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>> { planes }

  /// Takes over the samples of a frame of the same shape.
  public func copy(_ other: borrowing Frame) {
    precondition(rate == other.rate && channelCount == other.channelCount)
    for channel in 0..<channelCount {
      planes[channel].update(from: other.planes[channel], count: sampleCount)
    }
  }

  /// Takes over a frame of the same rate: two channels become one by their mean, one becomes two
  /// by repetition.
  public func remix(_ other: borrowing Frame) {
    guard channelCount != other.channelCount else { return copy(other) }
    precondition(rate == other.rate)
    if channelCount == 1 {
      let (left, right) = (other.planes[0], other.planes[1])
      for index in 0..<sampleCount { planes[0][index] = (left[index] + right[index]) / 2 }
    } else {
      for channel in 0..<channelCount {
        planes[channel].update(from: other.planes[0], count: sampleCount)
      }
    }
  }

  /// Silence.
  public func clear() {
    for channel in 0..<channelCount { planes[channel].update(repeating: 0, count: sampleCount) }
  }

  /// Adds a frame of the same rate times a gain that moves evenly from one factor to another. A
  /// frame of one channel goes to all, one of two to one by their mean.
  public func add(_ other: borrowing Frame, from first: Float = 1, to last: Float = 1) {
    precondition(rate == other.rate)
    let step = (last - first) / Float(sampleCount)
    for channel in 0..<channelCount {
      let target = planes[channel]
      if first == 1, last == 1, channelCount >= other.channelCount {
        let source = other.planes[min(channel, other.channelCount - 1)]
        for index in 0..<sampleCount { target[index] += source[index] }
      } else if channelCount < other.channelCount {
        let (left, right) = (other.planes[0], other.planes[1])
        for index in 0..<sampleCount {
          target[index] += (left[index] + right[index]) / 2 * (first + step * Float(index + 1))
        }
      } else {
        let source = other.planes[min(channel, other.channelCount - 1)]
        for index in 0..<sampleCount {
          target[index] += source[index] * (first + step * Float(index + 1))
        }
      }
    }
  }

  /// The largest magnitude of a sample; 0 for silence.
  public var peak: Float {
    // Magnitudes are ordered as their bits are, and those the compiler compares side by side.
    var peak: UInt32 = 0
    for channel in 0..<channelCount {
      for sample in plane(channel) { peak = max(peak, sample.magnitude.bitPattern) }
    }
    return Float(bitPattern: peak)
  }

  /// The mean square of all samples; 0 for silence.
  public var meanSquare: Float {
    var sum: Float = 0
    for channel in 0..<channelCount {
      for sample in plane(channel) { sum += sample * sample }
    }
    return sum / Float(sampleCount * channelCount)
  }
}
