internal import Glibc

/// The checks of an address to listen on that libgrpc does not make or does not report.
enum ListenAddress {
  /// Returns whether `address` is well formed and no server answers on its socket. libgrpc would
  /// remove the socket of a server that is running.
  static func isUsable(_ address: String) -> Bool {
    switch ServerAddress(address) {
    case .host: true
    case .unix(let path): !UnixSocket.answers(path)
    case nil: false
    }
  }

  /// Returns why a server could not listen on `address`, found out by trying it again, or nil if it
  /// can be listened on now.
  static func problem(at address: String) -> String? {
    switch ServerAddress(address) {
    case .host(let host, let port): problem(host, port)
    case .unix(let path): problem(path)
    case nil: ServerAddress.listeningProblem(address)
    }
  }

  private static func problem(_ path: String) -> String? {
    if UnixSocket.answers(path) { return "another server listens on this socket" }
    var info = stat()
    if lstat(path, &info) == 0, info.st_mode & S_IFMT != S_IFSOCK {
      return "the path exists and is not a socket"
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(folder, W_OK | X_OK) != 0 else { return nil }
    return switch errno {
    case ENOENT: "the folder does not exist"
    case EACCES, EROFS: "this user may not write to the folder"
    default: systemError()
    }
  }

  private static func problem(_ host: String, _ port: UInt16) -> String? {
    var wanted = addrinfo()
    wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    wanted.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(name, "\(port)", &wanted, &found) == 0, let found else {
      return "the host is unknown"
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return systemError() }
    defer { close(descriptor) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) != 0 else { return nil }
    return switch errno {
    case EADDRINUSE: "the address is in use"
    case EADDRNOTAVAIL: "the host is not an address of this machine"
    case EACCES: "permission denied: a port below 1024 needs more rights"
    default: systemError()
    }
  }

  private static func systemError() -> String { String(cString: strerror(errno)).lowercased() }
}
