internal import Dispatch
internal import Glibc

/// Files that show a state of the microphone: 1 while it lasts and 0 otherwise, such as a LED's
/// `brightness` in sysfs.
struct Lamps: Sendable {
  private let title: String
  private let paths: [String]
  private let log: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "lamps")

  /// Creates lamps. `title` names them in the log.
  init(_ title: String, _ paths: [String], log: @escaping @Sendable (String) -> Void) {
    self.title = title
    self.paths = paths
    self.log = log
  }

  /// Sets the lamps. Returns at once.
  func set(_ isLit: Bool) {
    guard !paths.isEmpty else { return }
    queue.async { [title, paths, log] in
      for path in paths {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
          log("\(title) \(path): \(String(cString: strerror(errno)))")
          continue
        }
        _ = write(descriptor, isLit ? "1\n" : "0\n", 2)
        close(descriptor)
      }
    }
  }

  /// Waits until the lamps show the last state.
  func finish() { queue.sync {} }
}
