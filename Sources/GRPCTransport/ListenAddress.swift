internal import Glibc

/// Checks of an address that libgrpc leaves out.
enum ListenAddress {
  /// Whether `address` is of the form `HOST:PORT` or `unix:PATH`, and the path is nobody's.
  ///
  /// libgrpc takes the port of https where none is given, cuts a port to 16 bits, and removes the
  /// socket of a server that runs.
  static func isUsable(_ address: String) -> Bool {
    if address.hasPrefix("unix:") {
      let path = address.dropFirst("unix:".count)
      return !path.isEmpty && !isListening(String(path))
    }
    guard let colon = address.lastIndex(of: ":"), colon != address.startIndex else { return false }
    let host = address[..<colon]
    guard !host.contains(":") || (host.hasPrefix("[") && host.hasSuffix("]")) else { return false }
    let port = address[address.index(after: colon)...]
    return port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && UInt16(port) != nil
  }

  private static func isListening(_ path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard handle >= 0 else { return false }
    defer { close(handle) }
    return withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
