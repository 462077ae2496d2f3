public import AudioCore
internal import CSampleRate

/// A sample rate converter for one channel, from any rate and in pieces of any length. The first
/// output sample corresponds to the first input sample. Allocates, so it is not for the frame path.
public final class StreamResampler {
  private let ratio: Double
  private let converter: OpaquePointer?

  /// Creates a converter. `input` is in Hz. Throws libsamplerate's error for a ratio that it does
  /// not support.
  public init(from input: Int, to output: SampleRate) throws(FrameResampler.ResamplingError) {
    ratio = Double(output.hertz) / Double(max(1, input))
    var code: Int32 = 0
    guard src_is_valid_ratio(ratio) != 0 else {
      throw FrameResampler.ResamplingError(
        message: "cannot convert from \(input) Hz to \(output.hertz) Hz")
    }
    converter = input == output.hertz ? nil : src_new(Int32(SRC_SINC_FASTEST), 1, &code)
    if code != 0 {
      throw FrameResampler.ResamplingError(message: String(cString: src_strerror(code)))
    }
  }

  deinit {
    if let converter { src_delete(converter) }
  }

  /// Returns the conversion of a piece. With the last piece, returns all remaining samples.
  public func process(_ samples: [Float], isLast: Bool) -> [Float] {
    guard let converter else { return samples }
    var converted: [Float] = []
    var consumed = 0
    let room = Int(Double(samples.count) * ratio) + 1024
    var buffer = [Float](repeating: 0, count: room)
    while true {
      let produced = samples.withUnsafeBufferPointer { input in
        buffer.withUnsafeMutableBufferPointer { output -> Int in
          var data = SRC_DATA(
            data_in: input.baseAddress.map { $0 + consumed }, data_out: output.baseAddress,
            input_frames: input.count - consumed, output_frames: room, input_frames_used: 0,
            output_frames_gen: 0, end_of_input: isLast ? 1 : 0, src_ratio: ratio)
          guard src_process(converter, &data) == 0 else { return 0 }
          consumed += data.input_frames_used
          return data.output_frames_gen
        }
      }
      converted += buffer[..<produced]
      if produced < room && (consumed == samples.count || produced == 0) { return converted }
    }
  }
}
