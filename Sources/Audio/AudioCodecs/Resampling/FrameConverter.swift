public import AudioCore

/// A converter of frames between sample rates and channel counts. Two channels become one by a
/// `Downmix`.
public struct FrameConverter: ~Copyable {
  /// The delay in samples of the output's rate.
  public let latencySamples: Int
  /// Whether the frames already match, so that a conversion is a copy that a caller may leave out.
  public let isIdentity: Bool
  private let remixes: Bool
  private var resampler: FrameResampler?
  private var downmix = Downmix()
  private let remixed: Frame

  public init(
    from input: SampleRate, _ inputChannels: Int, to output: SampleRate, _ outputChannels: Int
  ) throws(FrameResampler.ResamplingError) {
    remixes = inputChannels != outputChannels
    isIdentity = input == output && inputChannels == outputChannels
    remixed = Frame(rate: input, channelCount: outputChannels)
    if input == output {
      resampler = nil
      latencySamples = 0
    } else {
      let resampler = try FrameResampler(from: input, to: output, channelCount: outputChannels)
      latencySamples = resampler.latencySamples
      self.resampler = consume resampler
    }
  }

  /// Converts a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    if resampler == nil {
      downmix.process(input, into: output)
    } else if remixes {
      downmix.process(input, into: remixed)
      resampler?.process(remixed, into: output)
    } else {
      resampler?.process(input, into: output)
    }
  }
}
