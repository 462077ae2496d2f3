#if canImport(Glibc)
  internal import Glibc
#endif

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
