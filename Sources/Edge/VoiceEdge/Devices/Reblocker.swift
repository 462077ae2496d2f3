internal import AudioCore

/// A converter from interleaved samples in pieces of any length to frames of 10 ms, which takes
/// some channels of the device.
struct Reblocker: ~Copyable {
  private let frame: Frame
  private let deviceChannels: Int
  private let channels: [Int]
  private var filled = 0

  /// Creates a converter for a device with `deviceChannels` channels, which takes those with the
  /// indices `channels`.
  init(rate: SampleRate, _ channels: [Int], of deviceChannels: Int) {
    self.deviceChannels = deviceChannels
    self.channels = channels
    frame = Frame(rate: rate, channelCount: channels.count)
  }

  /// Appends samples. Calls `body` for each full frame, with the number of these samples that have
  /// been used so far. Runs per frame: no allocation, lock, log or await.
  mutating func append(
    _ samples: UnsafePointer<Float>, count: Int, _ body: (borrowing Frame, Int) -> Void
  ) {
    for index in 0..<count {
      for channel in 0..<frame.channelCount {
        frame.planePointers[channel][filled] = samples[index * deviceChannels + channels[channel]]
      }
      filled += 1
      guard filled == frame.sampleCount else { continue }
      filled = 0
      body(frame, index + 1)
    }
  }

  /// Discards the incomplete frame.
  mutating func clear() { filled = 0 }
}
