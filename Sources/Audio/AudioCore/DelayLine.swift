/// A delay by a constant number of samples. Runs per frame: no allocation, lock, log or await.
public struct DelayLine: ~Copyable {
  public let delay: Int
  private let channelCount: Int
  private let storage: UnsafeMutablePointer<Float>  // The last `delay` samples of each channel.

  /// Creates a delay line of `delay` samples.
  public init(delay: Int, channelCount: Int) {
    self.delay = delay
    self.channelCount = channelCount
    storage = .allocate(capacity: max(1, delay * channelCount))
    storage.initialize(repeating: 0, count: max(1, delay * channelCount))
  }

  deinit { storage.deallocate() }

  /// Takes a frame, and fills `output` with the input of `delay` samples ago. `output` must not be
  /// `input`.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    let size = input.sampleCount
    for channel in 0..<channelCount {
      let (source, target) = (input.planePointers[channel], output.planePointers[channel])
      let held = storage + channel * delay
      let old = min(delay, size)
      target.update(from: held, count: old)
      (target + old).update(from: source, count: size - old)
    }
    push(input)
  }

  /// Takes a frame without returning delayed samples.
  public mutating func push(_ input: borrowing Frame) {
    let size = input.sampleCount
    for channel in 0..<channelCount {
      let (source, held) = (input.planePointers[channel], storage + channel * delay)
      let new = min(delay, size)
      if delay > size { held.update(from: held + size, count: delay - size) }
      (held + delay - new).update(from: source + size - new, count: new)
    }
  }
}
