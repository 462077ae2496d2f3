internal import Glibc

/// Reads a mute key from an input device or FIFO, on a thread of its own; opens it anew when it is
/// unplugged.
final class KeyWatch: Sendable {
  private let thread = LoopThread()

  init(
    path: String, log: @escaping @Sendable (String) -> Void,
    pressed: @escaping @Sendable () -> Void
  ) {
    thread.start("mute-key") { thread in
      var lastProblem: Int32 = 0
      while !thread.isStopped {
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 {
          if errno != lastProblem { log("mute key \(path): \(String(cString: strerror(errno)))") }
          lastProblem = errno
          thread.sleep(.seconds(1))
          continue
        }
        lastProblem = 0
        Self.read(descriptor, thread, pressed)
        close(descriptor)
        thread.sleep(.milliseconds(100))
      }
    }
  }

  func stop() { thread.stop() }

  func join() { thread.join() }

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
}
