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

  /// Replaces the file at once, with mode 0600.
  func write(_ ticket: JoinTicket) throws(FileError) {
    do { try PrivateFile.replace(path, with: Array("\(ticket.text)\n".utf8)) } catch {
      throw FileError(text: error.description)
    }
  }

  func remove() { unlink(path) }
}
