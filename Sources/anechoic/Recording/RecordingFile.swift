internal import CommandLineSupport
internal import Foundation

/// The file that a recording goes to. What was there before stays until there is something to write.
final class RecordingFile {
  /// Bytes written so far.
  private(set) var count = 0
  private let path: String
  private let handle: FileHandle
  private let isNew: Bool

  /// Throws where the file cannot be written, or is there already and must not be replaced.
  init(_ path: String, replacing: Bool) throws(CommandFailure) {
    self.path = path
    var descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    isNew = descriptor >= 0
    if !isNew, errno == EEXIST {
      guard replacing else {
        throw CommandFailure("\(path): is there already; --force replaces it")
      }
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      throw CommandFailure(systemErrorAt: path)
    }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit {
    // Nothing was recorded.
    if isNew, count == 0 { unlink(path) }
  }

  func write(_ bytes: [UInt8]) throws {
    do {
      // Of what is no file, a device or a FIFO, nothing has to go.
      if count == 0, !isNew { try? handle.truncate(atOffset: 0) }
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw CommandFailure("\(path): cannot be written")
    }
    count += bytes.count
  }
}
