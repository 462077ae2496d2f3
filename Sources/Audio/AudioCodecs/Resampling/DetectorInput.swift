public import AudioCore

/// A converter to one channel at 8 kHz for a speech detector, with a `Downmix` of two channels. If
/// the rate is a multiple of 8 kHz, it averages neighbouring samples. This is cheap and lets some
/// aliasing through, which a detector tolerates.
public struct DetectorInput: ~Copyable {
  public static let rate = SampleRate.hz8000

  /// The delay in samples of `rate`.
  public let latencySamples: Int
  private let factor: Int?
  private var downmix = Downmix()
  private let mixed: Frame
  private var converter: FrameConverter?

  public init(from input: SampleRate) throws(FrameResampler.ResamplingError) {
    mixed = Frame(rate: input, channelCount: 1)
    if input.hertz.isMultiple(of: Self.rate.hertz) {
      factor = input.hertz / Self.rate.hertz
      latencySamples = 0
      converter = nil
    } else {
      factor = nil
      let converter = try FrameConverter(from: input, 1, to: Self.rate, 1)
      latencySamples = converter.latencySamples
      self.converter = consume converter
    }
  }

  /// Converts a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if input.channelCount == 1 {
      Self.process(input, factor, &converter, into: output)
    } else {
      downmix.process(input, into: mixed)
      Self.process(mixed, factor, &converter, into: output)
    }
  }

  private static func process(
    _ input: borrowing Frame, _ factor: Int?, _ converter: inout FrameConverter?,
    into output: borrowing Frame
  ) {
    switch factor {
    // The compiler makes vectors of factors that it knows.
    case 2: average(input, 2, into: output)
    case 6: average(input, 6, into: output)
    case .some(let factor): average(input, factor, into: output)
    case nil: converter?.process(input, into: output)
    }
  }

  @inline(__always)
  private static func average(
    _ input: borrowing Frame, _ factor: Int, into output: borrowing Frame
  ) {
    let (source, target) = (input.planePointers[0], output.planePointers[0])
    let scale = 1 / Float(factor)
    for index in 0..<output.sampleCount {
      var sum: Float = 0
      for offset in 0..<factor { sum += source[index * factor + offset] }
      target[index] = sum * scale
    }
  }
}
