internal import CommandLineSupport
internal import Foundation

/// A file, or standard output, written line by line and never held back.
final class LineFile {
  private let name: String
  private let handle: FileHandle

  /// "-" is standard output.
  init(_ path: String) throws {
    guard path != "-" else {
      name = "standard output"
      handle = .standardOutput
      return
    }
    name = path
    // What is there stays what it is: a device, a FIFO, or a link to a file.
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
