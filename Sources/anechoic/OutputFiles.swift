internal import CommandLineSupport
internal import Foundation

/// A file or standard output. Each line is written at once.
final class LineFile {
  private let name: String
  private let handle: FileHandle

  /// Opens the file; "-" is standard output.
  init(_ path: String) throws {
    guard path != "-" else {
      name = "standard output"
      handle = .standardOutput
      return
    }
    name = path
    // The path is opened and not replaced, because it may be a device, a FIFO, or a link to a file.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw CommandFailure(systemErrorAt: path)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ line: String) throws {
    do {
      try handle.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw CommandFailure("\(name): cannot be written")
    }
  }
}

/// The files that a command reads and the files that it writes.
enum FileRoles {
  /// Throws if one file is named both as an input and as an output, or twice as an output.
  static func check(read: [String], written: [String]) throws(CommandFailure) {
    for (index, path) in written.enumerated() where path != "-" {
      if read.contains(where: { isSame($0, path) }) {
        throw CommandFailure("\(path): this file is also an input, and would be overwritten")
      }
      if written[..<index].contains(where: { isSame($0, path) }) {
        throw CommandFailure("\(path): two outputs cannot go to the same file")
      }
    }
  }

  /// Returns whether two paths name the same file, directly or through links.
  static func isSame(_ left: String, _ right: String) -> Bool {
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
