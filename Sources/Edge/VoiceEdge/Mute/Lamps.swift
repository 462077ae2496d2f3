internal import Dispatch
internal import Glibc
internal import Synchronization

/// Files that show a state of the microphone: 1 while it lasts and 0 otherwise, such as a LED's
/// `brightness` in sysfs.
final class Lamps: Sendable {
  private let title: String
  private let paths: [String]
  private let log: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "lamps")
  /// The problem of each lamp that cannot be set, which is logged once.
  private let problems = Mutex<[String: Int32]>([:])

  /// Creates lamps. `title` names them in the log.
  init(_ title: String, _ paths: [String], log: @escaping @Sendable (String) -> Void) {
    self.title = title
    self.paths = paths
    self.log = log
  }

  /// Sets the lamps. Returns at once.
  func set(_ isLit: Bool) {
    guard !paths.isEmpty else { return }
    queue.async { [self] in
      for path in paths {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
        let problem = descriptor < 0 ? errno : nil
        let isNew = problems.withLock { $0.updateValue(problem, of: path) }
        if let problem, isNew { log("\(title) \(path): \(String(cString: strerror(problem)))") }
        guard descriptor >= 0 else { continue }
        _ = write(descriptor, isLit ? "1\n" : "0\n", 2)
        close(descriptor)
      }
    }
  }

  /// Waits until the lamps show the last state.
  func finish() { queue.sync {} }
}

extension [String: Int32] {
  /// Changes or removes a value. Returns whether it was another one.
  fileprivate mutating func updateValue(_ new: Int32?, of key: String) -> Bool {
    defer { self[key] = new }
    return self[key] != new
  }
}
