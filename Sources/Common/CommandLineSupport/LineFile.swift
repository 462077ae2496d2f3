internal import ArgumentParser
internal import Foundation

/// A file or standard output. Each line is written at once.
public final class LineFile {
  private let name: String
  private let handle: FileHandle

  /// Opens the file; "-" is standard output.
  public init(_ path: String) throws(CommandError) {
    guard path != "-" else {
      name = "standard output"
      handle = .standardOutput
      return
    }
    name = path
    // The path is opened and not replaced, because it may be a device, a FIFO, or a link to a file.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw CommandError(systemErrorAt: path)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  public func write(_ line: String) throws(CommandError) {
    guard append(line) == 0 else { throw CommandError("\(name): cannot be written") }
  }

  /// Writes a line of a command that only shows something. If the reader has ended, such as `head`,
  /// the command ends with success.
  public func show(_ line: String) throws {
    switch append(line) {
    case 0: return
    case EPIPE: throw ExitCode.success
    default: throw CommandError("\(name): cannot be written")
    }
  }

  /// Returns 0, or the `errno` of a write that failed.
  private func append(_ line: String) -> Int32 {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Glibc.write(handle.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      bytes = bytes.dropFirst(count)
    }
    return 0
  }
}
