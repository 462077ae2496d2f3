public import AudioCore

/// Brings frames to one channel at 8 kHz for a detector of speech, cheaply: where the rate is a
/// multiple, by the mean of neighbouring samples, which lets through some aliasing that a detector
/// does not mind and an ear would.
public struct DetectorInput: ~Copyable {
  public static let rate = SampleRate.hz8000

  /// In samples of `rate`.
  public let latencySamples: Int
  private let factor: Int?
  private let mixed: Frame
  private var converter: FrameConverter?

  public init(from input: SampleRate) throws(FrameResampler.Failure) {
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

  /// Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    mixed.remix(input)
    guard let factor else {
      converter?.process(mixed, into: output)
      return
    }
    let (source, target) = (mixed.planePointers[0], output.planePointers[0])
    let scale = 1 / Float(factor)
    for index in 0..<output.sampleCount {
      var sum: Float = 0
      for offset in 0..<factor { sum += source[index * factor + offset] }
      target[index] = sum * scale
    }
  }
}
