internal import Glibc

extension ConnectedSocket {
  /// The reason why a host could not be connected to.
  public enum DialProblem: Error {
    /// The host is unknown, or this machine has no way to any of its addresses.
    case unreachable
    /// No address answers in time.
    case silent
    /// The words of the system for the last address that failed.
    case failed(String)
  }

  /// The time after which the next address of a host is tried beside those that have not answered, as in
  /// "Happy Eyeballs" (RFC 8305).
  private static let headStart = Duration.milliseconds(250)

  /// Connects to the first address of a host that takes the connection. Waits for that.
  public static func dialing(
    _ host: String, _ port: UInt16, by deadline: ContinuousClock.Instant
  ) throws(DialProblem) -> ConnectedSocket {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(name, "\(port)", &wanted, &found) == 0, let found else {
      throw .unreachable
    }
    defer { freeaddrinfo(found) }
    var attempts = Attempts()
    var address = Optional(found)
    while true {
      if let next = address {
        attempts.begin(next)
        address = next.pointee.ai_next
      }
      let isLast = address == nil
      guard !attempts.isEmpty else {
        if isLast { throw attempts.problem }
        continue
      }
      let until = isLast ? deadline : min(deadline, .now + headStart)
      if let descriptor = attempts.wait(until: until) { return ConnectedSocket(descriptor) }
      if deadline <= .now { throw .silent }
    }
  }

  /// The words for an error of the system.
  static func words(_ error: Int32) -> String { String(cString: strerror(error)).lowercased() }
}

/// The connections to addresses of a host that have not answered yet.
private struct Attempts: ~Copyable {
  /// The errors of an address of a kind that this machine has no route for.
  private static let noWay = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]

  private var descriptors: [Int32] = []
  /// The problem of the last address that failed.
  private(set) var problem = ConnectedSocket.DialProblem.unreachable

  deinit { for descriptor in descriptors { close(descriptor) } }

  var isEmpty: Bool { descriptors.isEmpty }

  /// Begins to connect.
  mutating func begin(_ address: UnsafeMutablePointer<addrinfo>) {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.pointee.ai_family, flags, 0)
    guard descriptor >= 0 else { return }
    if connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0
      || errno == EINPROGRESS
    {
      descriptors.append(descriptor)
    } else {
      // Another address may have told more.
      if !Self.noWay.contains(errno) { problem = .failed(ConnectedSocket.words(errno)) }
      close(descriptor)
    }
  }

  /// Waits until one connection stands, and returns it, or until one fails or the time is over.
  mutating func wait(until end: ContinuousClock.Instant) -> Int32? {
    var events = descriptors.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    let time = Int32(max(0, (end - .now) / .milliseconds(1)).rounded(.up))
    guard poll(&events, nfds_t(events.count), time) > 0 else { return nil }
    for event in events where event.revents != 0 {
      descriptors.removeAll { $0 == event.fd }
      let error = ConnectedSocket.error(of: event.fd)
      guard error != 0 else { return event.fd }
      problem = .failed(ConnectedSocket.words(error))
      close(event.fd)
    }
    return nil
  }
}
