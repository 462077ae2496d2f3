public import Foundation

/// Real-time priority for threads, because other programs do not hold up hardware either. Has no
/// effect where it is not permitted.
public enum RealTime {
  /// Sets the priority of the calling thread.
  static func enter() { enter(0) }

  /// Sets the priority of all threads of a process, and of the threads that they start later.
  public static func enter(process: pid_t) {
    let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    for thread in threads?.compactMap(pid_t.init) ?? [] { enter(thread) }
  }

  private static func enter(_ thread: pid_t) {
    var parameters = sched_param(sched_priority: 5)
    sched_setscheduler(thread, SCHED_RR, &parameters)
  }
}
