internal import Foundation
internal import LinuxSystem

/// A file with the ticket of a session, which only its owner can read.
struct JoinTicketFile: Sendable {
  /// An error, as the words that follow the path.
  struct FileError: Error {
    let text: String
  }

  private static let longest = 4096

  let path: String

  /// The version of the file now, or nil if there is none.
  var version: RegularFile.Version? { RegularFile.Version(of: path) }

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
