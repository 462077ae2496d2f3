public import AudioCore

/// A converter of frames between sample rates and channel counts. Frames that already match are
/// copied.
public struct FrameConverter: ~Copyable {
  /// The delay in samples of the output's rate.
  public let latencySamples: Int
  private var resampler: FrameResampler?
  private let remixed: Frame

  public init(
    from input: SampleRate, _ inputChannels: Int, to output: SampleRate, _ outputChannels: Int
  ) throws(FrameResampler.Failure) {
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
    remixed.remix(input)
    if resampler == nil {
      output.copy(remixed)
    } else {
      resampler?.process(remixed, into: output)
    }
  }
}
