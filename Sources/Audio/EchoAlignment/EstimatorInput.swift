internal import AudioCodecs
internal import AudioCore

/// Converts frames to one channel at 4 kHz. Finding an echo costs a quarter there of what it costs
/// at 16 kHz.
struct EstimatorInput: ~Copyable {
  static let samplesPerFrame = 40
  static let hertz = 4000

  /// A half-band low-pass (Hamming-windowed sinc) on one side of its middle, at odd distances.
  private static let taps: (Float, Float, Float) = (0.3094, -0.0817, 0.0217)
  private static let history = 10

  private var detectorInput: DetectorInput
  private let decimated: Frame
  private let line: UnsafeMutablePointer<Float>

  init(rate: SampleRate) throws(FrameResampler.ResamplingError) {
    detectorInput = try DetectorInput(from: rate)
    decimated = Frame(rate: DetectorInput.rate, channelCount: 1)
    let size = Self.history + DetectorInput.rate.samplesPerFrame
    line = .allocate(capacity: size)
    line.initialize(repeating: 0, count: size)
  }

  /// The delay in seconds, without the part that is the same at every rate.
  var latency: Double {
    Double(detectorInput.latencySamples) / Double(DetectorInput.rate.hertz)
  }

  deinit { line.deallocate() }

  /// Converts a frame, and writes 40 samples. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ input: borrowing Frame, into output: UnsafeMutablePointer<Float>) {
    detectorInput.process(input, into: decimated)
    let size = decimated.sampleCount
    (line + Self.history).update(from: decimated.planePointers[0], count: size)
    for index in 0..<Self.samplesPerFrame {
      let middle = line + 2 * index + 5
      output[index] =
        0.5 * middle[0] + Self.taps.0 * (middle[1] + middle[-1])
        + Self.taps.1 * (middle[3] + middle[-3]) + Self.taps.2 * (middle[5] + middle[-5])
    }
    line.update(from: line + size, count: Self.history)
  }
}
