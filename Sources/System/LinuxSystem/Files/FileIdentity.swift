internal import Foundation

/// The identity of a file: all names of a file, links of both kinds among them, have one.
public enum FileIdentity: Hashable, Sendable {
  /// The number of a file that exists, on its device.
  case number(device: UInt64, UInt64)
  /// The path, without links and detours, of a file that does not exist yet.
  case path(String)

  public init(_ path: String) {
    var info = stat()
    guard stat(path, &info) != 0 else {
      self = .number(device: UInt64(info.st_dev), UInt64(info.st_ino))
      return
    }
    self = .path(
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path)
  }

  /// Returns whether there is a regular file at a path.
  public static func isRegular(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
  }
}
