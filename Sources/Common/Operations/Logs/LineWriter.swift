internal import Dispatch
internal import Foundation
internal import Synchronization

/// A thread that writes lines to a file descriptor, behind a bounded queue.
///
/// `write` never waits for the file. Lines that find the queue full, and lines that the file does not
/// accept, are lost and counted. When a line has been written again, one more line tells the number
/// of the lost ones.
public final class LineWriter: Sendable {
  /// The maximum number and size of the lines that wait.
  public static let mostLines = 4096
  public static let mostBytes = 1 << 20
  /// The maximum size of a line in bytes. The rest of a longer line is cut off.
  public static let longestLine = 16 << 10

  /// The lines that were written and lost since the start.
  public struct Counts: Sendable {
    public let written: AtomicCounter
    public let lost: AtomicCounter

    public init(written: AtomicCounter = AtomicCounter(), lost: AtomicCounter = AtomicCounter()) {
      self.written = written
      self.lost = lost
    }
  }

  private struct Line {
    let bytes: [UInt8]
    /// Counts the line, too, if it is lost.
    let losses: AtomicCounter?
  }

  private struct State {
    var lines: [Line] = []
    var bytes = 0
    var isWriting = false
    var isClosed = false
    /// The file that replaces the present one.
    var replacement: Int32?
  }

  private let counts: Counts
  /// The path of the file, or nil for a descriptor that was given.
  public let path: String?
  private let lossLine: @Sendable (UInt64) -> String
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Starts the thread. `lossLine` returns the line that tells the number of lost lines.
  public init(
    descriptor: Int32, counts: Counts = Counts(),
    lossLine: @escaping @Sendable (UInt64) -> String
  ) {
    self.counts = counts
    self.lossLine = lossLine
    path = nil
    start(on: descriptor)
  }

  /// Opens a file to append lines to, and starts the thread. Returns nil, with the reason in `errno`,
  /// if the file cannot be opened.
  public init?(
    path: String, counts: Counts = Counts(), lossLine: @escaping @Sendable (UInt64) -> String
  ) {
    let descriptor = Self.open(path)
    guard descriptor >= 0 else { return nil }
    self.counts = counts
    self.lossLine = lossLine
    self.path = path
    start(on: descriptor)
  }

  private func start(on descriptor: Int32) {
    let ownsFile = path != nil
    let thread = Thread { [weak self, wake] in
      var output = Output(descriptor: descriptor)
      while true {
        wake.wait()
        // The writer goes when its owner does.
        guard let self, run(&output) else { break }
      }
      if ownsFile { close(output.descriptor) }
    }
    thread.name = "log"
    thread.start()
  }

  deinit { wake.signal() }

  /// Adds a line, with its newline, to the queue. Does not wait for the file. A line that is lost counts in
  /// `losses` too.
  public func write(_ line: String, losses: AtomicCounter? = nil) {
    var bytes = Array(line.utf8)
    if bytes.count > Self.longestLine {
      bytes = bytes.prefix(Self.longestLine - 1) + [UInt8(ascii: "\n")]
    }
    let isFirst = state.withLock { state -> Bool? in
      guard !state.isClosed, state.lines.count < Self.mostLines,
        state.bytes + bytes.count <= Self.mostBytes
      else { return nil }
      state.bytes += bytes.count
      state.lines.append(Line(bytes: bytes, losses: losses))
      return state.lines.count == 1
    }
    guard let isFirst else { return lose(losses) }
    if isFirst { wake.signal() }
  }

  private func lose(_ losses: AtomicCounter?) {
    counts.lost.add()
    losses?.add()
  }

  /// Opens the file again, because another program has renamed it. Returns false, with the reason in
  /// `errno`, if the file cannot be opened: then the old one stays in use. Does nothing without a path.
  @discardableResult
  public func reopen() -> Bool {
    guard let path else { return true }
    let file = Self.open(path)
    guard file >= 0 else { return false }
    let unused = state.withLock { state in
      defer { state.replacement = file }
      return state.replacement
    }
    if let unused { close(unused) }
    wake.signal()
    return true
  }

  /// Returns when all lines have been written or lost, or after `limit`.
  public func flush(atMost limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while state.withLock({ $0.isWriting || !$0.lines.isEmpty }), .now < deadline {
      usleep(2000)
    }
  }

  /// Writes the lines that wait. Returns false at the end of the writer.
  private func run(_ output: inout Output) -> Bool {
    let (lines, replacement) = state.withLock { state in
      defer {
        state.lines = []
        state.bytes = 0
        state.isWriting = true
        state.replacement = nil
      }
      return (state.lines, state.replacement)
    }
    if let replacement { output.replace(with: replacement) }
    for line in lines { write(line, &output) }
    state.withLock { $0.isWriting = false }
    return true
  }

  private func write(_ line: Line, _ output: inout Output) {
    guard output.write(line.bytes) else { return lose(line.losses) }
    counts.written.add()
    let lost = counts.lost.value
    guard lost > output.toldLost else { return }
    if output.write(Array(lossLine(lost - output.toldLost).utf8)) { output.toldLost = lost }
  }

  /// Returns whether a file can be opened, with the reason in `errno` if not. A file that does not
  /// exist is made and removed.
  public static func canOpen(_ path: String) -> Bool {
    let exists = access(path, F_OK) == 0
    let file = open(path)
    guard file >= 0 else { return false }
    close(file)
    if !exists, let place = realpath(path, nil) {
      unlink(place)
      free(place)
    }
    return true
  }

  private static func open(_ path: String) -> Int32 {
    // Opening does not wait for the reader of a FIFO.
    let file = Glibc.open(
      path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o640)
    if file >= 0 { _ = fcntl(file, F_SETFL, O_APPEND) }
    return file
  }
}

/// The file that the thread writes to.
private struct Output {
  private(set) var descriptor: Int32
  /// The number of lost lines that the log has told.
  var toldLost: UInt64 = 0
  /// Whether the last line is incomplete, because the file was full in its midst.
  private var isTorn = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  mutating func replace(with new: Int32) {
    close(descriptor)
    descriptor = new
    isTorn = false
  }

  /// Writes a line. Waits while a pipe is full. Returns false if the file did not accept it.
  mutating func write(_ line: [UInt8]) -> Bool {
    var rest = (isTorn ? [UInt8(ascii: "\n")] + line : line)[...]
    let complete = rest.count
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
        continue
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, 1000)
        continue
      }
      if rest.count < complete { isTorn = true }
      return false
    }
    isTorn = false
    return true
  }
}
