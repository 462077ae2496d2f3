internal import Foundation

/// The use of a machine's processors by this process, by one of its threads, and by others.
struct ProcessorUse {
  private let time = ContinuousClock.now
  /// In seconds, as the following ones.
  private let thread: Double
  private let process: Double
  private let machine: Double
  private let cores = Double(ProcessInfo.processInfo.activeProcessorCount)

  /// Reads the clocks now. `thread` is the name of the thread.
  init(ofThread name: String) {
    thread = Self.threadSeconds(name)
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    process = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    machine = Self.machineSeconds
  }

  /// The shares of the time between two readings.
  struct Shares {
    /// The processor time of the thread as a share of a core.
    let thread: Double
    /// The processor time of all other processes and of the host, as a share of all cores.
    let foreign: Double
  }

  func shares(until end: ProcessorUse) -> Shares {
    let elapsed = max((end.time - time) / .seconds(1), 1e-3)
    let own = end.process - process
    return Shares(
      thread: (end.thread - thread) / elapsed,
      foreign: max(0, end.machine - machine - own) / (elapsed * cores))
  }

  /// The time that a thread of this process ran.
  private static func threadSeconds(_ name: String) -> Double {
    let tasks = "/proc/self/task"
    for task in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
      guard text("\(tasks)/\(task)/comm").hasPrefix(name) else { continue }
      let nanoseconds = text("\(tasks)/\(task)/schedstat").split(separator: " ").first
      return (nanoseconds.flatMap { Double($0) } ?? 0) * 1e-9
    }
    return 0
  }

  /// The time that all processors were used, by programs, the kernel, and other guests of the host.
  private static var machineSeconds: Double {
    // user nice system idle iowait irq softirq steal
    let fields = text("/proc/stat").prefix { $0 != "\n" }.split(separator: " ").dropFirst()
      .compactMap { Double($0) }
    guard fields.count >= 8 else { return 0 }
    return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7])
      / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}
