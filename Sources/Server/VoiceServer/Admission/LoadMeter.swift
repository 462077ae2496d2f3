/// A meter of the load of a thread: the share of its time for which it ran, or waited for a processor,
/// smoothed over about two seconds. For use on that thread only.
///
/// Linux counts both times (`/proc/PID/task/TID/schedstat`). A thread whose processor is taken away, by
/// another program or by a quota, waits for it and has a load of 1, however little it runs. Where the
/// kernel does not count, and while sessions under the media clock use the rest of the thread's time,
/// the load is the share of the time in frames of sessions in real time.
struct LoadMeter: ~Copyable {
  /// The time after which the share is computed again.
  static let period = Duration.milliseconds(100)
  private static let smoothing = Duration.seconds(2)

  private(set) var load = 0.0
  private let scheduler: SchedulerClock?
  private var inFrames: Int64 = 0
  private var began: (time: ContinuousClock.Instant, demand: Int64?)?

  /// Creates a meter. Without a clock, the load is the share of the time in frames.
  init(_ scheduler: consuming SchedulerClock? = nil) { self.scheduler = scheduler }

  /// Forgets the load, because the thread has no sessions.
  mutating func reset() { (load, inFrames, began) = (0, 0, nil) }

  /// Records the time that frames took. Returns whether a period has ended. `onlyFrames` tells that
  /// other work of the thread may wait and does not count. Runs per frame: no allocation, lock, log or
  /// await.
  mutating func record(
    nanoseconds: Int64, onlyFrames: Bool = false, now: ContinuousClock.Instant
  ) -> Bool {
    guard let began else {
      self.began = (now, scheduler?.demand())
      return false
    }
    inFrames += nanoseconds
    let elapsed = now - began.time
    guard elapsed >= Self.period else { return false }
    let demand = scheduler?.demand()
    var busy = inFrames
    if !onlyFrames, let demand, let before = began.demand { busy = max(busy, demand - before) }
    let share = min(1, Duration.nanoseconds(busy) / elapsed)
    load += (share - load) * (elapsed / (elapsed + Self.smoothing))
    inFrames = 0
    self.began = (now, demand)
    return true
  }
}
