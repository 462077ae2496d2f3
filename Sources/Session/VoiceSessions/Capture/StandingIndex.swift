internal import AudioCore

/// A client that gives the same index to all of its chunks, because it does not count. All but the first one
/// would be dropped, as those that are repeated are. They continue behind the last ones that arrived.
struct StandingIndex {
  /// The chunks with an index after which the client does not count. A network repeats a chunk less often.
  private static let mostRepetitions = 5

  private var last: Int64?
  /// The chunks with this index.
  private var count = 0

  private var stands: Bool { count >= Self.mostRepetitions }

  /// Returns the index of a chunk, or nil if the client does not count. Once it does, its samples continue
  /// behind those that have arrived.
  mutating func place(
    _ firstSample: Int64?, _ samples: InputSamples, in timeline: inout InputTimeline
  ) -> Int64? {
    // A chunk without samples moves time, and may come again and again.
    guard let firstSample, !samples.isEmpty else { return firstSample }
    if firstSample == last {
      count = min(count + 1, Self.mostRepetitions)
      return stands ? nil : firstSample
    }
    if stands, timeline.isIndex(firstSample, before: timeline.arrived) {
      _ = timeline.place(firstSample, at: timeline.arrived)
    }
    (last, count) = (firstSample, 1)
    return firstSample
  }
}
