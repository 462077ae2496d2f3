/// The sound of a voice as 16-bit samples.
extension LiveVoice {
  /// Adds 16-bit samples of one instant, interleaved. See `push(microphone:reference:)`.
  public func push(
    microphone: UnsafeBufferPointer<Int16>, reference: UnsafeBufferPointer<Int16>? = nil
  ) {
    Self.withSamples(microphone) { microphone in
      guard let reference else { return push(microphone: microphone) }
      Self.withSamples(reference) { push(microphone: microphone, reference: $0) }
    }
  }

  /// Fills `output` with 16-bit samples, interleaved, and returns their number for each channel. See
  /// `pull(into:)`.
  public func pull(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: output.count) { samples in
      let count = pull(into: samples)
      for index in 0..<count * options.microphone.channels {
        output[index] = Int16(sample: samples[index])
      }
      return count
    }
  }

  private static func withSamples(
    _ codes: UnsafeBufferPointer<Int16>, _ body: (UnsafeBufferPointer<Float>) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: codes.count) { samples in
      for index in codes.indices { samples[index] = codes[index].sample }
      body(UnsafeBufferPointer(samples))
    }
  }
}
