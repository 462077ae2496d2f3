internal import CMalloc
internal import Foundation
internal import GRPCTransport

/// Gives memory that the process has freed back to the kernel.
///
/// The C library keeps freed memory in an arena for each thread. Without trimming, the process
/// would stay as large as at its peak after a flood of calls.
public enum MemoryTrimmer {
  private static let checkInterval = Duration.seconds(1)
  /// The number of free bytes at the end of an arena above which the C library itself gives them
  /// back.
  private static let freeAtEndOfArena: Int32 = 256 << 10

  /// Starts a task that trims memory until it is cancelled, on the threads of `BackgroundExecutor`.
  ///
  /// Trimming locks one arena after another. The threads of the audio have arenas of their own.
  public static func run() -> Task<Void, Never> {
    // This also keeps the C library from raising the limit to 64 MiB.
    mallopt(M_TRIM_THRESHOLD, freeAtEndOfArena)
    return Task(executorPreference: BackgroundExecutor.shared) {
      var rule = TrimRule(checkInterval: checkInterval)
      while (try? await Task.sleep(for: checkInterval)) != nil {
        guard let resident = residentBytes(), rule.isDue(resident: resident) else { continue }
        malloc_trim(0)
        if let resident = residentBytes() { rule.recordTrim(resident: resident) }
      }
    }
  }

  /// Returns the size in bytes of the process's memory that is not backed by files, or nil if it is
  /// unknown.
  private static func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").compactMap { Int($0) }
    // The second field counts all resident pages, and the third those that are backed by files.
    return pages.count > 2 ? (pages[1] - pages[2]) * Int(getpagesize()) : nil
  }
}
