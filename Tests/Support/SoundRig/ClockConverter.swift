internal import AudioCore
internal import EchoAlignment

/// A converter of samples from one clock to another. It takes in whole blocks of 10 ms and delivers
/// whole blocks. Sometimes it delivers one block more or less than it takes in.
struct ClockConverter: ~Copyable {
  private let step: Double
  private var buffer = ElasticBuffer(rate: .hz48000, channelCount: 1, capacity: 4800)
  private let frame = Frame(rate: .hz48000, channelCount: 1)

  /// Creates a converter. `speed` is the rate of the other clock. At 1, the samples stay unchanged.
  init(speed: Double) { step = 1 / speed }

  var largestWaitingCount: Int { step == 1 ? 0 : frame.sampleCount }

  /// The number of samples in the converter.
  var waitingCount: Int { max(0, Int(buffer.level / step)) }

  /// Converts samples of 10 ms.
  mutating func process(_ samples: [Float]) -> [Float] {
    guard step != 1 else { return samples }
    for (index, sample) in samples.enumerated() { frame.planePointers[0][index] = sample }
    buffer.write(frame)
    var converted: [Float] = []
    while buffer.hasFrame(step: step) {
      buffer.read(into: frame, step: step)
      converted += (0..<frame.sampleCount).map { frame.planePointers[0][$0] }
    }
    return converted
  }
}
