internal import Foundation
internal import LinuxSystem

/// A file with the ticket of a session, which only its owner can read.
struct JoinTicketFile: Sendable {
  /// An error, as the words that follow the path.
  struct FileError: Error {
    let text: String
  }

  /// Identifies one state of the file.
  struct Stamp: Sendable, Equatable {
    private let inode: ino_t
    private let size: off_t
    private let seconds: Int
    private let nanoseconds: Int

    fileprivate init(_ info: stat) {
      (inode, size) = (info.st_ino, info.st_size)
      (seconds, nanoseconds) = (info.st_mtim.tv_sec, info.st_mtim.tv_nsec)
    }
  }

  private static let longest = 4096

  let path: String

  /// The state of the file now, or nil if there is none.
  var stamp: Stamp? {
    var info = stat()
    return stat(path, &info) == 0 ? Stamp(info) : nil
  }

  func read() throws(FileError) -> JoinTicket {
    let bytes: [UInt8]
    do { bytes = try RegularFile.read(path, atMost: Self.longest) } catch {
      throw FileError(text: error.description)
    }
    guard let text = String(validating: bytes, as: UTF8.self), let ticket = JoinTicket(text)
    else { throw FileError(text: "contains no ticket of a session") }
    return ticket
  }

  /// Replaces the file at once. Its mode is 0600 from the beginning.
  func write(_ ticket: JoinTicket) throws(FileError) {
    let new = "\(path).\(UInt32.random(in: 0 ... .max))"
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.lastProblem }
    let text = Array("\(ticket.text)\n".utf8)
    let count = Glibc.write(descriptor, text, text.count)
    let isWritten = count == text.count && close(descriptor) == 0 && rename(new, path) == 0
    guard isWritten else {
      let problem = Self.lastProblem
      unlink(new)
      throw problem
    }
  }

  func remove() { unlink(path) }

  private static var lastProblem: FileError { FileError(text: String(cString: strerror(errno))) }
}
