internal import Synchronization

/// The time spent on processing, divided by the duration of the processed audio.
///
/// Each reading compares the histogram with itself at a reading at least 10 s before, or at the
/// start. Several readers do not disturb each other.
final class RealtimeFactor: Sendable {
  private static let window = Duration.seconds(10)
  private static let frame = 0.01  // seconds

  private struct Mark {
    var time: ContinuousClock.Instant
    var histogram: AtomicHistogram.Snapshot
  }

  private struct Marks {
    var older: Mark
    var newer: Mark
  }

  private let histogram: AtomicHistogram
  private let marks: Mutex<Marks>

  /// `histogram` has the times to process frames, in seconds.
  init(_ histogram: AtomicHistogram, now: ContinuousClock.Instant = .now) {
    self.histogram = histogram
    let start = Mark(time: now, histogram: histogram.snapshot)
    marks = Mutex(Marks(older: start, newer: start))
  }

  /// Returns 0 if no frame was processed.
  func value(at now: ContinuousClock.Instant) -> Double {
    let mark = Mark(time: now, histogram: histogram.snapshot)
    let older = marks.withLock { marks in
      if now - marks.newer.time >= Self.window {
        marks.older = marks.newer
        marks.newer = mark
      }
      return marks.older.histogram
    }
    guard mark.histogram.count > older.count else { return 0 }
    let frames = Double(mark.histogram.count - older.count)
    return (mark.histogram.sum - older.sum) / (frames * Self.frame)
  }
}
