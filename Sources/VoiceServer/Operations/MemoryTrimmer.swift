internal import CMalloc
internal import Foundation
internal import GRPCTransport

/// Returns memory that the process has freed to the kernel.
///
/// The C library keeps freed memory in an arena for each thread, and so a flood of calls would leave
/// the process as large as it was at its peak.
public enum MemoryTrimmer {
  private static let checkInterval = Duration.seconds(1)
  /// The free memory at the end of an arena above which the C library gives the memory back itself.
  private static let freeAtEndOfArena: Int32 = 256 << 10

  /// Starts a task that trims memory until it is cancelled, on the threads of `BackgroundExecutor`.
  ///
  /// Trimming locks one arena after another. The threads of the audio have arenas of their own.
  public static func run() -> Task<Void, Never> {
    // Also stops the C library from raising this limit to 64 MiB.
    mallopt(M_TRIM_THRESHOLD, freeAtEndOfArena)
    return Task(executorPreference: BackgroundExecutor.shared) {
      var rule = TrimRule(checkInterval: checkInterval)
      while (try? await Task.sleep(for: checkInterval)) != nil {
        guard let resident = residentBytes(), rule.isDue(resident: resident) else { continue }
        malloc_trim(0)
        if let resident = residentBytes() { rule.noteTrim(resident: resident) }
      }
    }
  }

  /// Returns the memory of the process that is not backed by files, or nil if the kernel does not say.
  private static func residentBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").compactMap { Int($0) }
    // Of its fields, the second counts all resident pages, and the third those of files.
    return pages.count > 2 ? (pages[1] - pages[2]) * Int(getpagesize()) : nil
  }
}
