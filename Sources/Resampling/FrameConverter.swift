public import AudioCore

/// Brings frames from one rate and channel count to another; what is equal already is copied.
public struct FrameConverter: ~Copyable {
  /// In samples of the output's rate.
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

  /// Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    remixed.remix(input)
    if resampler == nil {
      output.copy(remixed)
    } else {
      resampler?.process(remixed, into: output)
    }
  }
}
