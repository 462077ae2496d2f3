internal import Glibc

/// A reader of a mute key from an input device or FIFO, on a thread of its own. Opens it again
/// after it was unplugged.
final class KeyWatch: ThreadOwner {
  /// The major number of the kernel's input devices.
  private static let inputMajor: dev_t = 13

  let thread = LoopThread()

  init(
    path: String, log: @escaping @Sendable (String) -> Void,
    pressed: @escaping @Sendable () -> Void
  ) {
    thread.start("mute-key") { thread in
      var lastProblem: String?
      while !thread.isStopped {
        // Before opening, because a file that is not a key must not be read.
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

  /// Returns the reason why a file cannot be a key, or nil if it can or does not exist yet.
  static func problem(at path: String) -> String? {
    var info = stat()
    guard stat(path, &info) == 0 else { return errno == ENOENT ? nil : text(errno) }
    let isInput = info.st_mode & S_IFMT == S_IFCHR && (info.st_rdev >> 8) & 0xfff == inputMajor
    guard isInput || info.st_mode & S_IFMT == S_IFIFO else {
      return "is not an input device or a FIFO"
    }
    return access(path, R_OK) == 0 ? nil : text(errno)
  }

  /// Reads until no more data can come.
  private static func read(_ descriptor: Int32, _ thread: LoopThread, _ pressed: () -> Void) {
    var events = KeyEvents()
    var bytes = [UInt8](repeating: 0, count: 24 * 16)
    while !thread.isStopped {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 100) > 0 else { continue }
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      // 0 means that nobody writes to the FIFO now.
      guard count > 0 else { return }
      for _ in 0..<events.presses(bytes[..<count]) { pressed() }
    }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
