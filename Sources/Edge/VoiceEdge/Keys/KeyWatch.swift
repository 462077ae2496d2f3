internal import Glibc
internal import LinuxSystem

/// A reader of keys from an input device, HID device or FIFO, on a thread of its own. Opens it again
/// after it was unplugged.
final class KeyWatch: ThreadOwner {
  /// The time in ms without data after which the path is looked at.
  private static let pause: Int32 = 500

  let thread = LoopThread()

  /// Starts the thread. `setting` is a path, or `name:` and the name of an input device.
  init(
    _ setting: String, log: @escaping @Sendable (String) -> Void,
    happened: @escaping @Sendable (KeyEvent) -> Void
  ) {
    thread.start("keys") { thread in
      var lastProblem: String?
      var bounce = KeyBounce()
      while !thread.isStopped {
        do throws(KeyError) {
          let (path, descriptor, parser) = try Self.open(setting)
          lastProblem = nil
          Self.read(path, descriptor, parser, thread) { event in
            if !bounce.includes(event) { happened(event) }
          }
          close(descriptor)
          thread.sleep(.milliseconds(100))
        } catch {
          if error.text != lastProblem { log("key \(setting): \(error.text)") }
          lastProblem = error.text
          thread.sleep(.seconds(1))
        }
      }
    }
  }

  private struct KeyError: Error {
    var text: String
  }

  private enum Parser {
    case input(KeyEvents)
    case hid(HIDKeys)

    mutating func events(_ bytes: ArraySlice<UInt8>) -> [KeyEvent] {
      switch self {
      case .input(var parser):
        defer { self = .input(parser) }
        return parser.events(bytes)
      case .hid(var parser):
        defer { self = .hid(parser) }
        return parser.events(bytes)
      }
    }
  }

  /// Opens the device. Throws before opening if the file does not report keys, because other files
  /// must not be read.
  private static func open(_ setting: String) throws(KeyError) -> (String, Int32, Parser) {
    guard let path = InputDevice.path(of: setting) else {
      throw KeyError(text: "there is no input device of this name")
    }
    if let problem = InputDevice.problem(at: path) { throw KeyError(text: problem) }
    let parser = InputDevice.descriptor(at: path).map { Parser.hid(HIDKeys($0)) }
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw KeyError(text: InputDevice.text(errno)) }
    return (path, descriptor, parser ?? .input(KeyEvents()))
  }

  /// Reads until no more data can come, or until the path leads to another file: a program has made
  /// the FIFO anew. A HID device delivers one report in each read.
  private static func read(
    _ path: String, _ descriptor: Int32, _ parser: Parser, _ thread: LoopThread,
    _ happened: (KeyEvent) -> Void
  ) {
    let file = FileIdentity("/proc/self/fd/\(descriptor)")
    var parser = parser
    var bytes = [UInt8](repeating: 0, count: HIDDescriptor.longest)
    var silence: Int32 = 0
    while !thread.isStopped {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 100) > 0 else {
        silence += 100
        guard silence < pause || FileIdentity(path) == file else { return }
        silence %= pause
        continue
      }
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      // 0 means that nobody writes to the FIFO now.
      guard count > 0 else { return }
      for event in parser.events(bytes[..<count]) { happened(event) }
    }
  }
}
