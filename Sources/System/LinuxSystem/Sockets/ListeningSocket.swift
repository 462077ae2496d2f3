internal import Glibc

/// A socket that listens on an address of this machine. Nothing about it waits.
public struct ListeningSocket: Sendable {
  public let descriptor: Int32
  /// The address with the actual port.
  public let address: String

  /// Listens on `HOST:PORT` or `[IPv6]:PORT`: for a name, on its address of version 4 if it has one.
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
    let all = sequence(first: found) { $0.pointee.ai_next }
    let best = (all.first { $0.pointee.ai_family == AF_INET } ?? found).pointee
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(best.ai_family, flags, 0)
    guard descriptor >= 0 else { throw ListeningError(systemErrorAt: text) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, best.ai_addr, best.ai_addrlen) == 0, listen(descriptor, 128) == 0 else {
      let error = ListeningError(systemErrorAt: text)
      Glibc.close(descriptor)
      throw error
    }
    address = "\(text[...colon])\(Self.port(of: descriptor))"
  }

  /// Returns the descriptor of the next connection and the address of its client, or nil with the
  /// reason in `errno`.
  public func accept() -> (descriptor: Int32, peer: String)? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let connection = Self.with(&address) { Glibc.accept(descriptor, $0, &size) }
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    return (connection, Self.text(of: &address, size))
  }

  public func close() { Glibc.close(descriptor) }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = with(&address) { getsockname(descriptor, $0, &size) }
    return port(of: &address)
  }

  private static func port(of address: inout sockaddr_storage) -> UInt16 {
    // The port is at the same place in the addresses of both versions.
    withUnsafeBytes(of: &address) {
      UInt16(bigEndian: $0.load(fromByteOffset: MemoryLayout<sa_family_t>.size, as: UInt16.self))
    }
  }

  /// Returns an address as gRPC writes it: `ipv4:127.0.0.1:40112` or `ipv6:[::1]:40112`.
  private static func text(of address: inout sockaddr_storage, _ size: socklen_t) -> String {
    var host = [CChar](repeating: 0, count: 64)
    let length = socklen_t(host.count)
    _ = with(&address) { getnameinfo($0, size, &host, length, nil, 0, NI_NUMERICHOST) }
    let text = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let name = String(decoding: text, as: UTF8.self)
    let port = port(of: &address)
    return name.contains(":") ? "ipv6:[\(name)]:\(port)" : "ipv4:\(name):\(port)"
  }

  private static func with<Result>(
    _ address: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}

/// The reason why a program does not listen on an address.
public struct ListeningError: Error, CustomStringConvertible {
  public let description: String

  init(description: String) { self.description = description }

  /// Creates an error with the text of `errno`.
  public init(systemErrorAt address: String) {
    let problem =
      errno == EADDRINUSE
      ? "the address is in use" : String(cString: strerror(errno)).lowercased()
    self.init(description: "cannot listen on \(address): \(problem)")
  }
}
