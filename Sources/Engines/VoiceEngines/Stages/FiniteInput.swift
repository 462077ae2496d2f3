public import AudioCore

/// Replaces samples that are not finite numbers by silence, because most filters never recover from
/// such a sample.
public struct FiniteInput: ~Copyable {
  private let clean: Frame

  public init(rate: SampleRate, channelCount: Int) {
    clean = Frame(rate: rate, channelCount: channelCount)
  }

  /// Calls `body` with the frame, or with a copy of it in which every sample is finite. Runs per frame:
  /// no allocation, lock, log or await.
  public func pass<Result>(
    _ frame: borrowing Frame, _ body: (borrowing Frame) -> Result
  ) -> Result {
    // The peak of a frame with such a sample is not finite.
    guard !frame.peak.isFinite else { return body(frame) }
    clean.copy(frame)
    for channel in 0..<clean.channelCount {
      let plane = clean.plane(channel)
      for index in plane.indices where !plane[index].isFinite { plane[index] = 0 }
    }
    return body(clean)
  }
}
