internal import Glibc

/// Sockets of this machine.
public enum UnixSocket {
  /// Of a path, in bytes: what a `sockaddr_un` holds before its end.
  public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Whether a path is one that a socket can have. In one with a percent sign libgrpc would see codes of
  /// characters, and listen elsewhere.
  public static func canBe(at path: String) -> Bool {
    (1...longestPath).contains(path.utf8.count)
      && !path.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "%") }
  }

  /// Whether somebody may listen at a path: only a refusal, or nothing there, says that nobody does.
  public static func answers(_ path: String) -> Bool {
    guard canBe(at: path) else { return false }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          || ![ECONNREFUSED, ENOENT].contains(errno)
      }
    }
  }
}
