internal import Glibc

/// A reader of keys from an input device, HID device or FIFO, on a thread of its own. Opens it again
/// after it was unplugged.
final class KeyWatch: ThreadOwner {
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
          let (descriptor, parser) = try Self.open(setting)
          lastProblem = nil
          Self.read(descriptor, parser, thread) { event in
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
  private static func open(_ setting: String) throws(KeyError) -> (Int32, Parser) {
    guard let path = InputDevice.path(of: setting) else {
      throw KeyError(text: "there is no input device of this name")
    }
    if let problem = InputDevice.problem(at: path) { throw KeyError(text: problem) }
    let parser = InputDevice.descriptor(at: path).map { Parser.hid(HIDKeys($0)) }
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw KeyError(text: InputDevice.text(errno)) }
    return (descriptor, parser ?? .input(KeyEvents()))
  }

  /// Reads until no more data can come. A HID device delivers one report in each read.
  private static func read(
    _ descriptor: Int32, _ parser: Parser, _ thread: LoopThread, _ happened: (KeyEvent) -> Void
  ) {
    var parser = parser
    var bytes = [UInt8](repeating: 0, count: HIDDescriptor.longest)
    while !thread.isStopped {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 100) > 0 else { continue }
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      // 0 means that nobody writes to the FIFO now.
      guard count > 0 else { return }
      for event in parser.events(bytes[..<count]) { happened(event) }
    }
  }
}
