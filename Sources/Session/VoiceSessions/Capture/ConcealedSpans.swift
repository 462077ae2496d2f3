/// The samples of the microphone that are not as they were captured: those of a gap, and those that
/// fade in after a gap. Frames are asked for in their order.
struct ConcealedSpans {
  private var spans: [Range<Int64>] = []
  private var next: Range<Int64>

  /// `delay` is the number of samples by which the frames come later than the microphone's.
  init(frameSize: Int, delay: Int) {
    next = Int64(-delay)..<Int64(frameSize - delay)
  }

  /// Adds a span that begins after the start of the last one.
  mutating func add(_ span: Range<Int64>) {
    guard let last = spans.last, last.upperBound >= span.lowerBound else {
      return spans.append(span)
    }
    spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
  }

  /// Returns whether the next frame contains such samples. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func reachNextFrame() -> Bool {
    while let first = spans.first, first.upperBound <= next.lowerBound { spans.removeFirst() }
    let isReached = spans.first?.overlaps(next) ?? false
    next = next.upperBound..<next.upperBound + Int64(next.count)
    return isReached
  }
}
