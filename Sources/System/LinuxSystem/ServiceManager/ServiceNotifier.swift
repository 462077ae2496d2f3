internal import Glibc

/// The socket on which a service manager, such as systemd, takes messages from a service.
///
/// Each message is one datagram of lines `NAME=VALUE`, as the manual sd_notify(3) describes them. A
/// change of the state waits for a full socket for at most a second. Then it is dropped, and other
/// messages are at once.
public final class ServiceNotifier: Sendable {
  /// The state of a service.
  public enum Message: Sendable, Equatable {
    /// The service has started, or has read its settings again.
    case ready
    case reloading
    /// The service stops, and takes this long at most.
    case stopping(Duration)
    /// The service is alive.
    case watchdog
    /// The state in words, which `systemctl status` shows.
    case status(String)

    /// Whether the manager acts on the message, so that it must not be lost.
    fileprivate var isChange: Bool {
      switch self {
      case .ready, .reloading, .stopping: true
      case .watchdog, .status: false
      }
    }
  }

  private let descriptor: Int32
  private let path: [UInt8]
  /// The longest pause between two messages `watchdog`, or nil if the manager expects none.
  public let watchdogLimit: Duration?

  /// Opens the socket that the environment names. Returns nil without a usable one.
  ///
  /// - Parameter environment: `NOTIFY_SOCKET` is a path, or a name after `@`. `WATCHDOG_USEC` is the
  ///   limit in microseconds, and `WATCHDOG_PID` the process that it is meant for.
  public init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@")
    else { return nil }
    let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    guard (2..<capacity).contains(name.utf8.count) else { return nil }
    // The first byte of an abstract address is zero.
    path = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(AF_UNIX, Int32(kind), 0)
    guard descriptor >= 0 else { return nil }
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogLimit = isMeant && limit > 0 ? .microseconds(limit) : nil
  }

  deinit { close(descriptor) }

  /// Sends a message. Returns whether the manager's socket took it.
  @discardableResult
  public func send(_ message: Message) -> Bool {
    let text = Array(Self.text(of: message, at: .nowMonotonic).utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.count } ?? 0
    for _ in 0..<(message.isChange ? Self.attempts : 1) {
      let sent = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
        }
      }
      guard sent < 0, errno == EAGAIN || errno == EINTR else { return sent == text.count }
      if message.isChange { usleep(Self.pause) }
    }
    return false
  }

  /// The number of attempts to send a message, and the pause between them in microseconds.
  private static let (attempts, pause) = (100, useconds_t(10_000))

  /// Returns the lines of a message. `time` is that of the monotonic clock.
  static func text(of message: Message, at time: Duration) -> String {
    switch message {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(microseconds(time))"
    case .stopping(let limit): "STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds(limit))"
    case .watchdog: "WATCHDOG=1"
    case .status(let words):
      "STATUS=\(words.split(whereSeparator: \.isNewline).joined(separator: " "))"
    }
  }

  private static func microseconds(_ time: Duration) -> Int64 { Int64(time / .microseconds(1)) }
}

extension Duration {
  fileprivate static var nowMonotonic: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
