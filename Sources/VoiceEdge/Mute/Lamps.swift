internal import Dispatch
internal import Glibc

/// The files that are set to 1 while the microphone is muted and to 0 otherwise, such as a LED's
/// `brightness` in sysfs.
struct Lamps: Sendable {
  private let paths: [String]
  private let log: @Sendable (String) -> Void
  private let queue = DispatchQueue(label: "lamps")

  init(_ paths: [String], log: @escaping @Sendable (String) -> Void) {
    self.paths = paths
    self.log = log
  }

  /// Sets the lamps. Returns at once.
  func set(_ isMuted: Bool) {
    guard !paths.isEmpty else { return }
    queue.async { [paths, log] in
      for path in paths {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
          log("mute lamp \(path): \(String(cString: strerror(errno)))")
          continue
        }
        _ = write(descriptor, isMuted ? "1\n" : "0\n", 2)
        close(descriptor)
      }
    }
  }
}
