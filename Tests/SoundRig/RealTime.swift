public import Foundation

/// Threads that go before those of all programs, as hardware is not held up by them either. Where that
/// is not permitted nothing changes.
public enum RealTime {
  /// The thread that asks.
  static func enter() { enter(0) }

  /// All threads of a process, and those that they begin later.
  public static func enter(process: pid_t) {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    for thread in threads?.compactMap(pid_t.init) ?? [] { enter(thread) }
  }

  private static func enter(_ thread: pid_t) {
    var parameters = sched_param(sched_priority: 5)
    sched_setscheduler(thread, SCHED_RR, &parameters)
  }
}
