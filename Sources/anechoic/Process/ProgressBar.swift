internal import CommandLineSupport
internal import Foundation

/// How far a job has come, on a terminal; nothing anywhere else.
final class ProgressBar {
  private static let width = 40

  private let total: Int
  private var isShown = isatty(STDERR_FILENO) != 0
  private var shown = -1

  init(total: Int) { self.total = max(1, total) }

  func show(_ done: Int) {
    let percent = min(100, done * 100 / total)
    guard isShown, percent != shown else { return }
    shown = percent
    let filled = percent * Self.width / 100
    let bar =
      String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    standardError("\r[\(bar)] \(percent) %")
  }

  /// Clears it for good.
  func end() {
    clear()
    isShown = false
  }

  func clear() {
    if isShown { standardError("\r\u{1B}[K") }
  }
}
