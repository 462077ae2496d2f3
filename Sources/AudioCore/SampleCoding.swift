/// Converts between coded, interleaved samples and planes of floats.
public enum SampleCoding {
  /// Decodes a channel of `count` sample frames into `plane`. Values beyond -1...1 are clipped. Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: The index of the first sample that is not a finite number, or nil.
  public static func decode(
    _ bytes: UnsafeRawBufferPointer, _ format: AudioFormat, channel: Int,
    into plane: UnsafeMutablePointer<Float>, count: Int
  ) -> Int? {
    let stride = format.bytesPerSampleFrame
    let first = channel * format.encoding.bytesPerSample
    switch format.encoding {
    case .s16:
      for index in 0..<count {
        let code = bytes.loadUnaligned(fromByteOffset: first + index * stride, as: Int16.self)
        plane[index] = Float(Int16(littleEndian: code)) / 32768
      }
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

  /// Encodes the first `count` sample frames of a frame. Values beyond -1...1 are clipped, and what
  /// is not a number becomes silence.
  /// Runs per frame: no allocation, lock, log or await.
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
        for index in 0..<count {
          // Rounds to the nearest: the conversion to an integer truncates.
          let scaled = plane[index].isNaN ? 0 : plane[index] * 32768
          let nearest = max(-32768, min(32767, scaled + (scaled < 0 ? -0.5 : 0.5)))
          bytes.storeBytes(
            of: Int16(nearest).littleEndian, toByteOffset: first + index * stride, as: Int16.self)
        }
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
