internal import Foundation
internal import GRPCTransport

/// The wait for a server that does not listen yet, because it was started a moment ago.
public enum ServerWait {
  /// The default limit of the wait.
  public static let usual = DurationArgument(.seconds(2))
  private static let pause = Duration.milliseconds(25)
  /// The time limit of one attempt in milliseconds.
  private static let attempt: Int32 = 250

  /// Returns once something listens at `address`, or after `limit`.
  ///
  /// Waits only while the connection is refused or the socket does not exist. Returns at once on
  /// any other failure, such as an unknown host, which the call that follows reports.
  public static func untilListening(at address: String, atMost limit: Duration) async throws {
    guard let address = ServerAddress(address) else { return }
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline, isRefused(address) {
      try await Task.sleep(for: pause)
    }
  }

  private static func isRefused(_ address: ServerAddress) -> Bool {
    switch address {
    case .unix(let path): !UnixSocket.answers(path)
    case .host(let host, let port): isRefused(host, port)
    }
  }

  /// Returns whether every address of the host refuses the connection.
  private static func isRefused(_ host: String, _ port: UInt16) -> Bool {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(name, "\(port)", &wanted, &found) == 0 else { return false }
    defer { freeaddrinfo(found) }
    return sequence(first: found) { $0?.pointee.ai_next }.allSatisfy { info in
      info.map { isRefused($0.pointee) } ?? true
    }
  }

  private static func isRefused(_ info: addrinfo) -> Bool {
    let descriptor = socket(
      info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard connect(descriptor, info.ai_addr, info.ai_addrlen) != 0 else { return false }
    guard errno == EINPROGRESS else { return errno == ECONNREFUSED }
    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&event, 1, attempt) == 1 else { return false }
    var problem: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size)
    return problem == ECONNREFUSED
  }
}
