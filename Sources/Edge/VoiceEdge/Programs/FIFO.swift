internal import Glibc
internal import LinuxSystem

/// An open FIFO. A missing FIFO is created. Reads and writes do not block.
struct FIFO: ~Copyable {
  /// F_SETPIPE_SZ of <fcntl.h>, which Swift does not import.
  private static let setPipeSize: Int32 = 1031
  /// The capacity in bytes. It is as small as possible, because samples that wait in the FIFO add
  /// latency.
  private static let capacity: Int32 = 4096
  /// The time between two looks at the path.
  private static let interval = Duration.milliseconds(500)

  private let path: String
  private var descriptor: Int32
  private var looked = MonotonicClock.now
  /// The number of bytes that were in the FIFO before it was opened for reading. They are old and
  /// are dropped.
  let staleCount: Int

  /// Waits for a FIFO that can be opened while the thread runs. Returns nil when the thread stops.
  /// Logs the reason once.
  init?(
    path: String, _ mode: Int32, title: String, thread: LoopThread,
    log: @Sendable (String) -> Void
  ) {
    self.path = path
    var lastProblem: String?
    while !thread.isStopped {
      switch Self.open(path, mode) {
      case .success(let descriptor):
        self.descriptor = descriptor
        staleCount = Self.shrink(descriptor, drains: mode != O_WRONLY)
        return
      case .failure(let problem):
        if let text = problem.text, text != lastProblem { log("\(title): \(path): \(text)") }
        lastProblem = problem.text
        if problem.text == nil, let descriptor = Self.waitForReader(path, thread) {
          self.descriptor = descriptor
          staleCount = Self.shrink(descriptor, drains: false)
          return
        }
        thread.sleep(.milliseconds(20))
      }
    }
    return nil
  }

  deinit { close(descriptor) }

  /// Returns whether the path leads to another FIFO, or to nothing: a program has deleted this one, which no
  /// program finds any more. Looks each 500 ms, and returns false in between.
  mutating func isReplaced() -> Bool {
    let now = MonotonicClock.now
    guard now - looked >= Self.interval else { return false }
    looked = now
    return FileIdentity(path) != FileIdentity(openPath)
  }

  /// A path of the open FIFO, which leads to it also after its path was deleted.
  var openPath: String { "/proc/self/fd/\(descriptor)" }

  /// The content of a FIFO for its reader.
  enum Content {
    case data
    /// Nothing yet. Programs may have the FIFO open for writing.
    case nothing
    /// Nothing, and the last program that wrote has closed the FIFO.
    case end
  }

  /// Waits up to 200 ms for data, or for the end of the programs that write.
  func waitToRead() -> Content {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, 200) > 0 else { return .nothing }
    return Int32(poll.revents) & POLLIN != 0 ? .data : .end
  }

  /// Takes note of the end of the programs that wrote, so that `waitToRead` waits for others.
  mutating func beginAnew() {
    // Only a descriptor that was opened since does not report that end again.
    let new = Glibc.open(openPath, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard new >= 0 else {
      usleep(20_000)
      return
    }
    close(descriptor)
    descriptor = new
  }

  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    max(0, Glibc.read(descriptor, bytes.baseAddress, bytes.count))
  }

  /// Writes bytes. Returns nil if nobody reads any more.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// The reason why a FIFO is not open. Without a text if only the reader is missing.
  private struct OpenError: Error { var text: String? }

  /// Returns the reason why a path that exists cannot be used. Nil if it can, or does not exist.
  static func problem(with path: String) -> String? {
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT != S_IFIFO else { return nil }
    return "exists and is not a FIFO"
  }

  /// Waits until a program opens the FIFO for reading, with inotify. Returns a descriptor for writing. Nil if
  /// the thread stops, or if this is not possible; then try to open the FIFO.
  private static func waitForReader(_ path: String, _ thread: LoopThread) -> Int32? {
    while !thread.isStopped {
      // Open for both directions, the FIFO lets a program that opens it go on, and tells about it.
      guard case .success(let both) = open(path, O_RDWR) else { return nil }
      let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      defer { close(watch) }
      guard watch >= 0, inotify_add_watch(watch, path, UInt32(IN_OPEN)) >= 0 else {
        close(both)
        return nil
      }
      var poll = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
      // A file that replaces the FIFO is noticed after this time.
      _ = Glibc.poll(&poll, 1, 500)
      // The program must not see a FIFO without a writer, which is its end.
      let writing = Glibc.open("/proc/self/fd/\(both)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      close(both)
      guard writing >= 0 else { return nil }
      if hasReader(writing) { return writing }
      close(writing)
    }
    return nil
  }

  /// Whether a program has the FIFO open for reading.
  private static func hasReader(_ writing: Int32) -> Bool {
    var poll = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
    return Glibc.poll(&poll, 1, 0) >= 0 && Int32(poll.revents) & POLLERR == 0
  }

  private static func open(_ path: String, _ mode: Int32) -> Result<Int32, OpenError> {
    var info = stat()
    if stat(path, &info) != 0 {
      guard mkfifo(path, 0o660) == 0 || errno == EEXIST else { return .failure(problem()) }
      // Gives the group access, independent of the umask.
      chmod(path, 0o660)
    } else if let text = problem(with: path) {
      return .failure(OpenError(text: text))
    }
    let descriptor = Glibc.open(path, mode | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      return .failure(errno == ENXIO ? OpenError(text: nil) : problem())
    }
    return .success(descriptor)
  }

  /// Reduces the capacity, which the kernel refuses while the FIFO contains more. Returns the
  /// number of bytes that were dropped for it.
  private static func shrink(_ descriptor: Int32, drains: Bool) -> Int {
    var dropped = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // A program that continues to write may be faster a few times.
    for _ in 0..<100 {
      let count = drains ? Glibc.read(descriptor, &buffer, buffer.count) : 0
      dropped += max(0, count)
      guard count < buffer.count else { continue }
      if fcntl(descriptor, setPipeSize, capacity) >= 0 || errno != EBUSY || !drains { break }
    }
    return dropped
  }

  private static func problem() -> OpenError { OpenError(text: String(cString: strerror(errno))) }
}
