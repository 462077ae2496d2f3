internal import CommandLineSupport
internal import Foundation

/// Which files a job reads and which it writes.
enum FileRoles {
  /// Throws where a file to be written is one that is read, or written, for something else.
  static func check(read: [String], written: [String]) throws(CommandFailure) {
    for (index, path) in written.enumerated() where path != "-" {
      if read.contains(where: { isSame($0, path) }) {
        throw CommandFailure("\(path): is an input too, and would be lost")
      }
      if written[..<index].contains(where: { isSame($0, path) }) {
        throw CommandFailure("\(path): is asked for twice")
      }
    }
  }

  /// By path, and by what a hard link leads to.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    if canonical(left) == canonical(right) { return true }
    var (leftStatus, rightStatus) = (stat(), stat())
    return stat(left, &leftStatus) == 0 && stat(right, &rightStatus) == 0
      && leftStatus.st_dev == rightStatus.st_dev && leftStatus.st_ino == rightStatus.st_ino
      && leftStatus.st_mode & S_IFMT == S_IFREG
  }

  private static func canonical(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
