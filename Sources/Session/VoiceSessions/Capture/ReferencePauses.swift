internal import AudioCore

/// A reference that is behind the microphone for good, because the client left a pause out of its count or
/// began a new one. It continues with the samples of the microphone that arrive with it.
///
/// A connection or a thread that was held up brings late samples, too, but it brings all of them at once.
struct ReferencePauses {
  /// The shortest pause: the microphone goes on for this time, and no samples come.
  private static let pause = Duration.milliseconds(150)
  /// The time after a pause by which samples that were held up have caught up.
  private static let patience = Duration.milliseconds(200)
  /// The time for which all samples with indexes are too late.
  private static let patienceWithIndexes = Duration.milliseconds(300)
  /// The jitter of samples in step.
  private static let tolerance = Duration.milliseconds(100)

  private let limits: (pause: Int64, patience: Int64, patienceWithIndexes: Int64, tolerance: Int64)
  /// The samples by which the reference was behind the microphone when it was in step.
  private var usual: Int64?
  /// Where the microphone was when the last samples came, in samples of the reference.
  private var last: Int64 = 0
  /// Where it was when the first samples after a pause came.
  private var resumed: Int64?
  /// Where it was when all samples began to be too late.
  private var lateSince: Int64?

  init(rate: SampleRate) {
    func samples(_ duration: Duration) -> Int64 { Int64(rate.samples(in: duration)) }
    limits = (
      samples(Self.pause), samples(Self.patience), samples(Self.patienceWithIndexes),
      samples(Self.tolerance)
    )
  }

  /// Places a chunk, if the reference is behind for good. `now` is the place of the samples that belong to
  /// those of the microphone that come next.
  ///
  /// - Returns: How many samples are missing before the chunk.
  mutating func place(
    _ firstSample: Int64?, in timeline: inout InputTimeline, now: Int64
  ) -> Int64 {
    let next = timeline.expectedIndex
    let isLate =
      lateSince.map { now - $0 >= limits.patienceWithIndexes } ?? false
      && timeline.isIndex(firstSample ?? next, before: timeline.taken)
    let isBehind = firstSample == nil && staysBehind(now - timeline.arrived, now: now)
    last = now
    guard isLate || isBehind else { return 0 }
    (lateSince, resumed) = (nil, nil)
    return timeline.place(firstSample ?? next, at: now - (usual ?? 0))
  }

  /// Follows samples without an index, which are behind the microphone by a number of samples.
  private mutating func staysBehind(_ behind: Int64, now: Int64) -> Bool {
    if usual != nil, now - last >= limits.pause { resumed = now }
    guard let usual, let resumed, behind - usual >= limits.tolerance else {
      resumed = nil
      // While the microphone stands still, the reference comes nearer without being in step.
      if behind < limits.pause, usual == nil || now != last { usual = behind }
      return false
    }
    return now - resumed >= limits.patience
  }

  /// Follows whether all samples of the last chunk were too late.
  mutating func appended(to timeline: borrowing InputTimeline, now: Int64) {
    lateSince = timeline.waiting > 0 ? nil : lateSince ?? now
  }
}
