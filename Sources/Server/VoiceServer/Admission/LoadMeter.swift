#if canImport(Glibc)
  internal import Glibc
#endif

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

/// The time for which a thread ran or waited for a processor, as Linux counts it.
struct SchedulerClock: ~Copyable {
  private let file: Int32

  /// Opens the clock of the calling thread. Returns nil where the kernel does not count.
  static func ofThisThread() -> SchedulerClock? {
    let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let clock = SchedulerClock(file: file)
    guard clock.demand() != nil else { return nil }
    return clock
  }

  private init(file: Int32) { self.file = file }

  deinit { close(file) }

  /// Returns the time in nanoseconds since the thread began, or nil if it cannot be read. One system
  /// call. Runs per frame: no allocation, lock, log or await.
  func demand() -> Int64? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { text in
      let count = pread(file, text.baseAddress, text.count, 0)
      guard count > 0 else { return nil }
      // The time on a processor, the time of waiting for one, and the number of turns.
      var (sum, number, numbers): (Int64, Int64, Int) = (0, 0, 0)
      for byte in text[..<count] where numbers < 2 {
        if byte >= 0x30, byte <= 0x39 {
          number = number &* 10 &+ Int64(byte - 0x30)
        } else {
          (sum, number, numbers) = (sum &+ number, 0, numbers + 1)
        }
      }
      return numbers == 2 && sum > 0 ? sum : nil
    }
  }
}
