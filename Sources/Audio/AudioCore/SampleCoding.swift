/// The conversion between encoded, interleaved samples and planes of floats.
public enum SampleCoding {
  /// Decodes a channel of `count` sample frames into `plane`. Values beyond -1...1 are clipped.
  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The index of the first sample that is not a finite number, or nil.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, _ format: AudioFormat, channel: Int,
    into plane: UnsafeMutablePointer<Float>, count: Int
  ) -> Int? {
    precondition(bytes.count >= count * format.bytesPerSampleFrame)
    guard let start = bytes.baseAddress else { return nil }
    let stride = format.bytesPerSampleFrame
    let first = channel * format.encoding.bytesPerSample
    switch format.encoding {
    case .s16:
      @inline(__always) func decode(stride: Int) {
        for index in 0..<count {
          let code = (start + (first &+ index &* stride)).loadUnaligned(as: Int16.self)
          plane[index] = Float(Int16(littleEndian: code)) / 32768
        }
      }
      // The compiler vectorizes a loop with a constant stride.
      if stride == 2 { decode(stride: 2) } else { decode(stride: stride) }
      return nil
    case .f32:
      for index in 0..<count {
        let bits = bytes.loadUnaligned(fromByteOffset: first + index * stride, as: UInt32.self)
        let value = Float(bitPattern: UInt32(littleEndian: bits))
        guard value.isFinite else { return index }
        plane[index] = max(-1, min(1, value))
      }
      return nil
    }
  }

  /// Returns the 16-bit code of a sample, rounded to the nearest integer. Halves are rounded away
  /// from zero. The function has no branch, so that the compiler vectorizes loops over it.
  @inline(__always)
  private static func code(_ sample: Float) -> Int16 {
    let scaled = sample.isNaN ? 0 : sample * 32768
    let raised = max(-32768, min(32767, scaled + (scaled < 0 ? -0.5 : 0.5)))
    // Adding this number leaves no bits for a fraction, and the low bits of the sum are the
    // integer.
    let magic: Float = 12_582_912
    let nearest = (raised + magic) - magic
    let tooLarge = nearest.magnitude > raised.magnitude
    let whole = nearest - (tooLarge ? (raised < 0 ? -1 : 1) : 0)  // Truncated.
    return Int16(truncatingIfNeeded: (whole + magic).bitPattern)
  }

  /// Encodes the first `count` sample frames of a frame. Values beyond -1...1 are clipped, and NaN
  /// becomes silence. Runs per frame: no allocation, lock, log or await.
  public static func encode(
    _ frame: borrowing Frame, count: Int, _ format: AudioFormat,
    into bytes: UnsafeMutableRawBufferPointer
  ) {
    precondition(frame.channelCount == format.channelCount && count <= frame.sampleCount)
    let stride = format.bytesPerSampleFrame
    precondition(bytes.count >= count * stride)
    for channel in 0..<format.channelCount {
      let plane = frame.plane(channel)
      let first = channel * format.encoding.bytesPerSample
      switch format.encoding {
      case .s16:
        guard let start = bytes.baseAddress, let samples = plane.baseAddress else { return }
        @inline(__always) func encode(stride: Int) {
          for index in 0..<count {
            (start + (first &+ index &* stride)).storeBytes(
              of: code(samples[index]).littleEndian, as: Int16.self)
          }
        }
        // The compiler vectorizes a loop with a constant stride.
        if stride == 2 { encode(stride: 2) } else { encode(stride: stride) }
      case .f32:
        for index in 0..<count {
          let value = plane[index].isNaN ? 0 : max(-1, min(1, plane[index]))
          bytes.storeBytes(
            of: value.bitPattern.littleEndian, toByteOffset: first + index * stride,
            as: UInt32.self)
        }
      }
    }
  }
}
