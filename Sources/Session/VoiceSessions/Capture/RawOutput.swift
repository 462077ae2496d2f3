internal import AudioCodecs
internal import AudioCore

/// The output with the microphone as it was captured, as late as the engine makes the other outputs.
struct RawOutput: ~Copyable {
  var output: MutedOutput
  private var delay: DelayLine
  private var converter: FrameConverter
  private let delayed: Frame

  /// Creates the output. `delaySamples` is from the microphone to the output of the engine, in samples
  /// of the microphone.
  init(_ format: AudioFormat, _ setup: SessionSetup, delaySamples: Int) throws {
    let microphone = setup.microphone
    let converter = try FrameConverter(
      from: microphone.rate, microphone.channelCount, to: format.rate, format.channelCount)
    output = MutedOutput(
      format, setup,
      latency: microphone.rate.duration(ofSamples: delaySamples)
        + format.rate.duration(ofSamples: converter.latencySamples),
      latencySamples: microphone.rate.convert(delaySamples, to: format.rate)
        + converter.latencySamples)
    delay = DelayLine(delay: delaySamples, channelCount: microphone.channelCount)
    delayed = Frame(rate: microphone.rate, channelCount: microphone.channelCount)
    self.converter = converter
  }

  /// Makes the output of a frame of the microphone. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ microphone: borrowing Frame) {
    delay.process(microphone, into: delayed)
    converter.process(delayed, into: output.frame)
    _ = output.applyMute()
  }
}
