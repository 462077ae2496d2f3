public import AudioCore
internal import CSampleRate

/// A sample rate converter for frames of 10 ms: one output frame for each input frame. Uses
/// libsamplerate's windowed sinc (J. O. Smith, "Digital Audio Resampling") with 97 dB
/// signal-to-noise ratio and 80 % bandwidth.
public struct FrameResampler: ~Copyable {
  /// An error of libsamplerate, with its message.
  public struct ResamplingError: Error, Equatable {
    public let message: String
  }

  /// The delay in samples of the output. The filter looks ahead by half of its length.
  public let latencySamples: Int
  private let ratio: Double
  private let channelCount: Int
  private let converters: UnsafeMutablePointer<OpaquePointer?>
  // One channel after another, `capacity` samples each.
  private let pending: UnsafeMutablePointer<Float>
  private let capacity: Int
  private let pendingCounts: UnsafeMutablePointer<Int>

  public init(from input: SampleRate, to output: SampleRate, channelCount: Int)
    throws(ResamplingError)
  {
    // Half of the filter is 20 samples of the lower rate. The rest is room for uneven output.
    latencySamples = 24 * max(output.hertz, input.hertz) / input.hertz
    ratio = Double(output.hertz) / Double(input.hertz)
    self.channelCount = channelCount
    capacity = latencySamples + 2 * output.samplesPerFrame
    pending = .allocate(capacity: capacity * channelCount)
    pending.initialize(repeating: 0, count: capacity * channelCount)
    pendingCounts = .allocate(capacity: channelCount)
    pendingCounts.initialize(repeating: latencySamples, count: channelCount)
    converters = .allocate(capacity: channelCount)
    converters.initialize(repeating: nil, count: channelCount)
    for channel in 0..<channelCount {
      var code: Int32 = 0
      converters[channel] = src_new(Int32(SRC_SINC_FASTEST), 1, &code)
      if code != 0 { throw ResamplingError(message: String(cString: src_strerror(code))) }
    }
  }

  deinit {
    for channel in 0..<channelCount { src_delete(converters[channel]) }
    converters.deallocate()
    pending.deallocate()
    pendingCounts.deallocate()
  }

  /// Converts a frame. Runs per frame: no allocation, lock, log or await.
  public mutating func process(_ input: borrowing Frame, into output: borrowing Frame) {
    for channel in 0..<channelCount {
      let queue = pending + channel * capacity
      let available = convert(
        input.plane(channel), by: converters[channel], into: queue, from: pendingCounts[channel])
      let target = output.planePointers[channel]
      let taken = min(available, output.sampleCount)
      target.update(from: queue, count: taken)
      (target + taken).update(repeating: 0, count: output.sampleCount - taken)
      queue.update(from: queue + taken, count: available - taken)
      pendingCounts[channel] = available - taken
    }
  }

  /// Appends the conversion of `source`. Returns the number of samples that wait then.
  private func convert(
    _ source: UnsafeMutableBufferPointer<Float>, by converter: OpaquePointer?,
    into queue: UnsafeMutablePointer<Float>, from start: Int
  ) -> Int {
    var available = start
    var consumed = 0
    while consumed < source.count {
      var data = SRC_DATA(
        data_in: source.baseAddress.map { UnsafePointer($0 + consumed) },
        data_out: queue + available, input_frames: source.count - consumed,
        output_frames: capacity - available, input_frames_used: 0, output_frames_gen: 0,
        end_of_input: 0, src_ratio: ratio)
      guard src_process(converter, &data) == 0,
        data.input_frames_used + data.output_frames_gen > 0
      else { break }
      consumed += data.input_frames_used
      available += data.output_frames_gen
    }
    return available
  }
}
