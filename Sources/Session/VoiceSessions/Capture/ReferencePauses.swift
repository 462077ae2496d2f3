internal import AudioCore

/// A reference that is behind the microphone for good, because the client left a pause out of its count or
/// began a new one, or ahead of it, because the microphone has stopped without a gap or began later. The
/// reference goes on with the samples of the microphone that arrive with it.
///
/// A connection or a thread that was held up brings late samples, too, but it brings all of them at once.
struct ReferencePauses {
  /// The shortest pause: the microphone goes on for this time, and no samples come.
  private static let pause = Duration.milliseconds(150)
  /// The time after a pause by which samples that were held up have caught up.
  private static let patience = Duration.milliseconds(200)
  /// The time for which all samples with indexes are too late.
  private static let patienceWithIndexes = Duration.milliseconds(300)
  /// The time for which the reference stays ahead after the microphone has stopped.
  private static let patienceAhead = Duration.milliseconds(400)
  /// The jitter of samples in step.
  private static let tolerance = Duration.milliseconds(100)

  private let limits:
    (
      pause: Int64, patience: Int64, patienceWithIndexes: Int64, patienceAhead: Int64,
      tolerance: Int64
    )
  /// The samples by which the reference was behind the microphone when it was in step.
  private var usual: Int64?
  /// Where the microphone was when the last samples came, in samples of the reference.
  private var last: Int64 = 0
  /// Where it was when the first samples after a pause came.
  private var resumed: Int64?
  /// Where it was when all samples began to be too late.
  private var lateSince: Int64?
  /// The samples that had arrived when the microphone went on last.
  private var arrived: Int64 = 0
  /// Where the microphone went on after a stop, and by how many samples the reference was ahead then.
  private var ahead: (since: Int64, samples: Int64)?

  init(rate: SampleRate) {
    func samples(_ duration: Duration) -> Int64 { Int64(rate.samples(in: duration)) }
    limits = (
      samples(Self.pause), samples(Self.patience), samples(Self.patienceWithIndexes),
      samples(Self.patienceAhead), samples(Self.tolerance)
    )
  }

  /// Places a chunk, if the reference is behind or ahead for good. `now` is the place of the samples that
  /// belong to those of the microphone that come next.
  ///
  /// - Returns: How many samples are missing before the chunk, or, if negative, were left out.
  mutating func place(
    _ firstSample: Int64?, in timeline: inout InputTimeline, now: Int64
  ) -> Int64 {
    let next = timeline.expectedIndex
    let isLate =
      lateSince.map { now - $0 >= limits.patienceWithIndexes } ?? false
      && timeline.isIndex(firstSample ?? next, before: timeline.taken)
    var (isBehind, leftOut): (Bool, Int64) = (false, 0)
    if firstSample == nil {
      let excess = staysAhead(timeline.arrived - now, now: now, arrived: timeline.arrived)
      leftOut = timeline.leaveOutFirst(excess)
      if leftOut < excess { ahead = (now, excess - leftOut) }
      arrived -= leftOut
      isBehind = staysBehind(now - timeline.arrived, now: now)
    }
    last = now
    guard isLate || isBehind else { return -leftOut }
    (lateSince, resumed) = (nil, nil)
    return timeline.place(firstSample ?? next, at: now - (usual ?? 0))
  }

  /// Follows samples without an index, which are ahead of the microphone by a number of samples. A microphone
  /// that was held up brings its samples after it went on.
  ///
  /// - Returns: How many samples belong to none of the microphone's.
  private mutating func staysAhead(_ ahead: Int64, now: Int64, arrived: Int64) -> Int64 {
    guard now != last else { return 0 }
    let stood = arrived - self.arrived
    self.arrived = arrived
    guard let usual, ahead + usual >= limits.tolerance else {
      self.ahead = nil
      return 0
    }
    let excess = ahead + usual
    let isSteady = self.ahead.map { abs($0.samples - excess) < limits.tolerance / 2 }
    if stood >= limits.pause || isSteady == false { self.ahead = (now, excess) }
    guard let start = self.ahead, now - start.since >= limits.patienceAhead else { return 0 }
    self.ahead = nil
    return excess
  }

  /// Follows samples without an index, which are behind the microphone by a number of samples.
  private mutating func staysBehind(_ behind: Int64, now: Int64) -> Bool {
    if usual != nil, now - last >= limits.pause { resumed = now }
    guard let usual, let resumed, behind - usual >= limits.tolerance else {
      resumed = nil
      // While the microphone stands still, the reference comes nearer without being in step.
      if behind < limits.pause, ahead == nil, usual == nil || now != last { usual = behind }
      return false
    }
    return now - resumed >= limits.patience
  }

  /// Follows whether all samples of the last chunk were too late.
  mutating func appended(to timeline: borrowing InputTimeline, now: Int64) {
    lateSince = timeline.waiting > 0 ? nil : lateSince ?? now
  }
}
