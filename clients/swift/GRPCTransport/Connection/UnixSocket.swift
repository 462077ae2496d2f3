internal import Glibc

/// Checks of the paths of unix sockets.
public enum UnixSocket {
  /// The longest path in bytes, without the zero at the end of a `sockaddr_un`.
  public static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The rule for paths, as a part of a message.
  public static let rule = "the path of a socket has 1 to \(longestPath) bytes and no \"%\""

  /// Returns whether a socket can have a path. libgrpc decodes percent signs and would listen
  /// elsewhere, so a path has none.
  public static func canBe(at path: String) -> Bool {
    (1...longestPath).contains(path.utf8.count)
      && !path.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "%") }
  }

  /// Lets the group of a new socket use it, if the process lets the group read its files and lets others
  /// do nothing, as with the umask 027. A client needs the right to write to a socket.
  static func openToGroup(_ path: String) {
    var info = stat()
    guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFSOCK,
      info.st_mode & (S_IRGRP | S_IRWXO) == S_IRGRP
    else { return }
    chmod(path, info.st_mode & 0o777 | S_IWGRP)
  }

  /// Returns whether a server may listen at a path. Only a refused connection and a missing file show
  /// that no server does.
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
