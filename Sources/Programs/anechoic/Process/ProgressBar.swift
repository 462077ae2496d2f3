internal import CommandLineSupport
internal import Foundation

/// A progress bar on the terminal. Shows nothing without a terminal.
final class ProgressBar {
  private static let width = 40

  private let total: Int
  private var isShown: Bool
  private var shown = -1

  /// Creates a bar. `total` is the number of samples of the job, or nil for a job without an end,
  /// which has no bar.
  init(total: Int?) {
    self.total = max(1, total ?? 1)
    isShown = total != nil && isatty(STDERR_FILENO) != 0
  }

  func show(_ done: Int) {
    let percent = min(100, done * 100 / total)
    guard isShown, percent != shown else { return }
    shown = percent
    let filled = percent * Self.width / 100
    let bar =
      String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    standardError("\r[\(bar)] \(percent) %")
  }

  /// Removes the bar permanently.
  func end() {
    clear()
    isShown = false
  }

  func clear() {
    if isShown { standardError("\r\u{1B}[K") }
  }
}
