internal import AudioCore

/// The power of coded audio, frame by frame of 10 ms.
struct LevelMeter: ~Copyable {
  /// Mean square of each frame so far.
  private(set) var meanSquares: [Float] = []
  private var queue: SampleQueue
  private let frame: Frame

  init(_ format: AudioFormat) {
    queue = SampleQueue(format: format)
    frame = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  mutating func append(_ samples: some Sequence<UInt8>) {
    let bytes = Array(samples)
    _ = bytes.withUnsafeBytes { queue.append($0) }
    while queue.count >= frame.sampleCount {
      queue.take(into: frame)
      meanSquares.append(frame.meanSquare)
    }
  }
}
