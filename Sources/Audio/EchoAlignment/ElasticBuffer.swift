public import AudioCore

/// A delay line between two clocks. The reader steps through the samples a little faster or slower
/// than one by one, and `SincInterpolator` interpolates.
public struct ElasticBuffer: ~Copyable {
  /// The number of samples after the reader's position that interpolation needs.
  public static let lookAhead = SincInterpolator.taps / 2 + 1

  public let rate: SampleRate
  public let channelCount: Int
  /// The number of samples written.
  public private(set) var written: Int64 = 0
  /// The position of the next sample to be read, among those written.
  public private(set) var position = 0.0
  private let capacity: Int
  private let storage: FloatBuffer  // channel after channel, each with its first samples repeated
  private let interpolator = SincInterpolator.shared
  private let fading: Frame

  /// Creates a buffer that keeps the last `capacity` samples.
  public init(rate: SampleRate, channelCount: Int, capacity: Int) {
    self.rate = rate
    self.channelCount = channelCount
    self.capacity = capacity + 2 * SincInterpolator.taps
    storage = FloatBuffer((self.capacity + SincInterpolator.taps) * channelCount)
    fading = Frame(rate: rate, channelCount: channelCount)
  }

  /// The number of samples that can be read.
  public var level: Double { Double(written) - position - Double(Self.lookAhead) }

  /// Adds a frame, and drops the oldest samples if there is no room. Runs per frame: no
  /// allocation, lock, log or await.
  public mutating func write(_ frame: borrowing Frame) {
    let size = frame.sampleCount
    let start = Int(written % Int64(capacity))
    for channel in 0..<channelCount {
      let ring = storage.start + channel * (capacity + SincInterpolator.taps)
      let source = frame.planePointers[channel]
      let first = min(size, capacity - start)
      (ring + start).update(from: source, count: first)
      ring.update(from: source + first, count: size - first)
      if start < SincInterpolator.taps || first < size {
        (ring + capacity).update(from: ring, count: SincInterpolator.taps)
      }
    }
    written += Int64(size)
    position = max(position, Double(written) - Double(capacity - 2 * SincInterpolator.taps))
  }

  /// Whether a frame can be read at a speed of `step` samples a sample.
  public func hasFrame(step: Double) -> Bool {
    level >= Double(rate.samplesPerFrame) * step
  }

  /// Reads a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func read(into frame: borrowing Frame, step: Double) {
    copy(into: frame, step: step)
    position += Double(frame.sampleCount) * step
  }

  /// Reads a frame that fades from where the reader is to `samples` further on.
  public mutating func skip(_ samples: Double, into frame: borrowing Frame, step: Double) {
    copy(into: fading, step: step)
    position = max(0, position + samples)
    copy(into: frame, step: step)
    position += Double(frame.sampleCount) * step
    let increment = 1 / Float(frame.sampleCount)
    for channel in 0..<channelCount {
      let (old, target) = (fading.planePointers[channel], frame.planePointers[channel])
      for index in 0..<frame.sampleCount {
        target[index] = old[index] + (target[index] - old[index]) * Float(index + 1) * increment
      }
    }
  }

  /// Drops the samples that have not been read.
  public mutating func clear() { position = Double(written) }

  private func copy(into frame: borrowing Frame, step: Double) {
    let isWhole = step == 1 && position == position.rounded()
    for channel in 0..<channelCount {
      let ring = storage.start + channel * (capacity + SincInterpolator.taps)
      let target = frame.planePointers[channel]
      if isWhole {
        var index = Int(Int64(position) % Int64(capacity))
        for sample in 0..<frame.sampleCount {
          target[sample] = ring[index]
          index = index + 1 == capacity ? 0 : index + 1
        }
      } else {
        // One turn of the ring is added, so that the zeros before the first sample have no negative
        // index.
        let origin = position - Double(SincInterpolator.reachBefore) + Double(capacity)
        for sample in 0..<frame.sampleCount {
          let place = origin + Double(sample) * step
          let whole = Int(place)
          target[sample] = interpolator.value(ring + whole % capacity, place - Double(whole))
        }
      }
    }
  }
}
