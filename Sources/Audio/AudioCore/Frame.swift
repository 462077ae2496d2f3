internal import CKernels

/// 10 ms of audio: a plane of float samples for each channel, with a nominal range of -1...1.
///
/// Allocate a frame once and reuse it.
public struct Frame: ~Copyable {
  public let rate: SampleRate
  public let channelCount: Int
  private let planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>>

  /// Creates a silent frame.
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

  /// The number of samples of each channel.
  public var sampleCount: Int { rate.samplesPerFrame }

  /// Returns the samples of a channel, valid as long as the frame.
  public func plane(_ channel: Int) -> UnsafeMutableBufferPointer<Float> {
    precondition(channel >= 0 && channel < channelCount)
    return UnsafeMutableBufferPointer(start: planes[channel], count: sampleCount)
  }

  /// The planes of all channels for C, valid as long as the frame.
  public var planePointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>> { planes }

  /// Copies the samples of a frame with the same rate and channel count.
  public func copy(_ other: borrowing Frame) {
    precondition(rate == other.rate && channelCount == other.channelCount)
    for channel in 0..<channelCount {
      planes[channel].update(from: other.planes[channel], count: sampleCount)
    }
  }

  /// Copies a frame of the same rate. Two channels become one by their mean, and one becomes two by
  /// repetition.
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

  /// Makes the frame silent.
  public func clear() {
    for channel in 0..<channelCount { planes[channel].update(repeating: 0, count: sampleCount) }
  }

  /// Adds a frame of the same rate, with a gain that changes linearly from the factor `first` to
  /// `last`. One channel is added to all channels. The mean of two channels is added to one.
  public func add(_ other: borrowing Frame, from first: Float = 1, to last: Float = 1) {
    add(other, from: first, to: last, in: 0..<sampleCount)
  }

  /// Adds some samples of a frame of the same rate, as `add(_:from:to:)` does.
  public func add(
    _ other: borrowing Frame, from first: Float, to last: Float, in samples: Range<Int>
  ) {
    precondition(rate == other.rate && samples.clamped(to: 0..<sampleCount) == samples)
    let step = (last - first) / Float(max(1, samples.count))
    let before = samples.lowerBound - 1
    for channel in 0..<channelCount {
      let target = planes[channel]
      if first == 1, last == 1, channelCount >= other.channelCount {
        let source = other.planes[min(channel, other.channelCount - 1)]
        for index in samples { target[index] += source[index] }
      } else if channelCount < other.channelCount {
        let (left, right) = (other.planes[0], other.planes[1])
        for index in samples {
          target[index] += (left[index] + right[index]) / 2 * (first + step * Float(index - before))
        }
      } else {
        let source = other.planes[min(channel, other.channelCount - 1)]
        for index in samples {
          target[index] += source[index] * (first + step * Float(index - before))
        }
      }
    }
  }

  /// The largest magnitude of a sample; 0 for silence.
  public var peak: Float {
    let kernels = Kernels.best
    var peak: Float = 0
    for channel in 0..<channelCount {
      let found = kernels.table.peak(planes[channel], Int32(sampleCount))
      // The bits of magnitudes have the same order, and NaN is above all.
      if found.bitPattern > peak.bitPattern { peak = found }
    }
    return peak
  }

  /// The mean square of all samples; 0 for silence.
  public var meanSquare: Float {
    let kernels = Kernels.best
    var sum: Float = 0
    for channel in 0..<channelCount {
      sum += kernels.table.sum_of_squares(planes[channel], Int32(sampleCount))
    }
    return sum / Float(sampleCount * channelCount)
  }
}

extension Duration {
  /// The number of whole frames of 10 ms.
  public var frames: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 100 + Int(attoseconds / 10_000_000_000_000_000)
  }
}
