internal import Alignment
internal import AudioCore

/// Makes of the samples of one clock so many as another clock has in that time, without a seam: whole
/// blocks of 10 ms come out, now and then one more or one less than went in.
struct ClockConverter: ~Copyable {
  private let step: Double
  private var buffer = ElasticBuffer(rate: .hz48000, channelCount: 1, capacity: 4800)
  private let frame = Frame(rate: .hz48000, channelCount: 1)

  /// `speed` of the other clock. At 1 the samples pass untouched.
  init(speed: Double) { step = 1 / speed }

  var largestWaitingCount: Int { step == 1 ? 0 : frame.sampleCount }

  /// Samples that it still holds.
  var waitingCount: Int { max(0, Int(buffer.level / step)) }

  /// `samples` are 10 ms.
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
