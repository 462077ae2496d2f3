internal import Foundation
internal import Synchronization

/// The metrics of the process itself, read from /proc for each exposition.
public enum ProcessMetrics {
  public static func add(to registry: MetricsRegistry) {
    _ = openFiles
    registry.reading(.processorTime) { processorSeconds }
    registry.reading(.residentMemory) { residentBytes }
    registry.reading(.openFiles) { openFiles }
    registry.reading(.mostOpenFiles) { mostOpenFiles }
    registry.gauge(.startTime).set(Date.now.timeIntervalSince1970)
  }

  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static var residentBytes: Double {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) }
    return (pages ?? .nan) * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The list of the open files. It stays open, because it is needed most when no file can be opened.
  private static let list = Mutex(OpenFileList())

  private static var openFiles: Double { list.withLock { $0.count } }

  private static var mostOpenFiles: Double {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .nan }
    return Double(limit.rlim_cur)
  }
}

/// The folder of /proc that lists the open files of the process.
private struct OpenFileList: ~Copyable {
  nonisolated(unsafe) private let folder = opendir("/proc/self/fd")

  deinit { if let folder { closedir(folder) } }

  /// The number of open files. NaN if the folder could not be opened.
  var count: Double {
    guard let folder else { return .nan }
    rewinddir(folder)
    var entries = 0
    while readdir(folder) != nil { entries += 1 }
    // Two are the folder itself and its parent.
    return Double(entries - 2)
  }
}
