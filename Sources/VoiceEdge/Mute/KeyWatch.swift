internal import Glibc

/// Reads a mute key from an input device or FIFO, on a thread of its own; opens it anew when it is
/// unplugged.
final class KeyWatch: ThreadOwner {
  /// Of the kernel's input devices.
  private static let inputMajor: dev_t = 13

  let thread = LoopThread()

  init(
    path: String, log: @escaping @Sendable (String) -> Void,
    pressed: @escaping @Sendable () -> Void
  ) {
    thread.start("mute-key") { thread in
      var lastProblem: String?
      while !thread.isStopped {
        // Before it is opened: what is no key is not to be read.
        let problem = Self.problem(at: path)
        let descriptor = problem == nil ? Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        guard descriptor >= 0 else {
          let text = problem ?? Self.text(errno)
          if text != lastProblem { log("mute key \(path): \(text)") }
          lastProblem = text
          thread.sleep(.seconds(1))
          continue
        }
        lastProblem = nil
        Self.read(descriptor, thread, pressed)
        close(descriptor)
        thread.sleep(.milliseconds(100))
      }
    }
  }

  /// Why what is at a path cannot be a key; nil where it can, or nothing is there yet.
  static func problem(at path: String) -> String? {
    var info = stat()
    guard stat(path, &info) == 0 else { return errno == ENOENT ? nil : text(errno) }
    let isInput = info.st_mode & S_IFMT == S_IFCHR && (info.st_rdev >> 8) & 0xfff == inputMajor
    guard isInput || info.st_mode & S_IFMT == S_IFIFO else {
      return "is neither an input device nor a FIFO"
    }
    return access(path, R_OK) == 0 ? nil : text(errno)
  }

  /// Until there is nothing more to come.
  private static func read(_ descriptor: Int32, _ thread: LoopThread, _ pressed: () -> Void) {
    var events = KeyEvents()
    var bytes = [UInt8](repeating: 0, count: 24 * 16)
    while !thread.isStopped {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 100) > 0 else { continue }
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      // 0 is a FIFO that nobody writes to now.
      guard count > 0 else { return }
      for _ in 0..<events.presses(bytes[..<count]) { pressed() }
    }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
