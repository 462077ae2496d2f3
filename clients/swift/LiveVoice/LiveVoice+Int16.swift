/// The sound of a voice as 16-bit samples.
extension LiveVoice {
  /// Adds 16-bit samples of one instant, interleaved. See `push(microphone:reference:)`.
  public func push(
    microphone: UnsafeBufferPointer<Int16>, reference: UnsafeBufferPointer<Int16>? = nil
  ) {
    captured.append(microphone, reference)
    wakeup.signal()
  }

  /// Fills `output` with 16-bit samples, interleaved, and returns their number for each channel. See
  /// `pull(into:)`.
  public func pull(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
    self.output.take(into: output, silentUntil: silentUntil)
  }
}
