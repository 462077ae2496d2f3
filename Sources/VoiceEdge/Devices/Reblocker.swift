internal import AudioCore

/// Interleaved samples in pieces of any length in, frames of 10 ms out. Of more than two channels the
/// first two count.
struct Reblocker: ~Copyable {
  private let frame: Frame
  private let deviceChannels: Int
  private var filled = 0

  init(rate: SampleRate, channelCount: Int) {
    deviceChannels = channelCount
    frame = Frame(rate: rate, channelCount: min(2, channelCount))
  }

  /// Calls `body` for each frame that is full, with how many of these samples it and those before it
  /// took. Runs per frame: no allocation, lock, log or await.
  mutating func append(
    _ samples: UnsafePointer<Float>, count: Int, _ body: (borrowing Frame, Int) -> Void
  ) {
    for index in 0..<count {
      for channel in 0..<frame.channelCount {
        frame.planePointers[channel][filled] = samples[index * deviceChannels + channel]
      }
      filled += 1
      guard filled == frame.sampleCount else { continue }
      filled = 0
      body(frame, index + 1)
    }
  }

  /// Forgets the frame that was begun.
  mutating func clear() { filled = 0 }
}
