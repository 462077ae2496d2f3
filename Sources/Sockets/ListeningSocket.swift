internal import Glibc

/// A socket that listens on an address of this machine. Nothing about it waits.
public struct ListeningSocket: Sendable {
  public let descriptor: Int32
  /// The address with the actual port.
  public let address: String

  /// Listens on `HOST:PORT` or `[IPv6]:PORT`.
  public init(_ text: String) throws(ListeningError) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw ListeningError(description: "\"\(text)\" is not HOST:PORT") }
    let host = String(text[..<colon].drop { $0 == "[" }.prefix { $0 != "]" })
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    wanted.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &wanted, &found) == 0, let found else {
      throw ListeningError(description: "cannot listen on \(text): the host is unknown")
    }
    defer { freeaddrinfo(found) }
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(found.pointee.ai_family, flags, 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard descriptor >= 0, bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      listen(descriptor, 128) == 0
    else {
      let error = ListeningError(systemErrorAt: text)
      if descriptor >= 0 { Glibc.close(descriptor) }
      throw error
    }
    address = "\(text[...colon])\(Self.port(of: descriptor))"
  }

  /// Returns the descriptor of the next connection, or -1 with the reason in `errno`.
  public func accept() -> Int32 {
    let connection = Glibc.accept(descriptor, nil, nil)
    guard connection >= 0 else { return -1 }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    return connection
  }

  public func close() { Glibc.close(descriptor) }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(descriptor, $0, &size)
      }
      // The port is at the same place in the addresses of both versions.
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
  }
}
