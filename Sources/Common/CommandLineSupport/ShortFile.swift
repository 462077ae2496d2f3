internal import Foundation
internal import Settings

/// The reader of files that are read as a whole.
public enum ShortFile {
  /// The time for a program to write to a FIFO.
  private static let patience: Int32 = 5000

  /// Returns the content of a file. Throws if the file is longer than `limit` bytes, because some
  /// devices never end, and if no program writes to a FIFO. `title` is the name of the file in failures.
  public static func read(
    _ path: String, title: String, atMost limit: Int
  ) throws(CommandError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw CommandError(systemErrorAt: title) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, patience) != 0 else {
        throw CommandError("\(title): no program writes to this file")
      }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { throw CommandError(systemErrorAt: title) }
      bytes += buffer[..<count]
    }
    throw CommandError("\(title): the file is longer than \(limit >> 10) KiB")
  }
}

/// The reader of settings files.
public enum SettingsFile {
  /// Returns the text of a settings file.
  public static func text(of file: String) throws(CommandError) -> String {
    let bytes = try ShortFile.read(file, title: file, atMost: SettingsTable<Void>.longestFile)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandError("\(file): the file is not text")
    }
    // Some editors write a byte-order mark, which libyaml counts as a column.
    return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
  }
}
