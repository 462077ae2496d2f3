internal import CZlib
internal import CommandLineSupport
internal import Foundation

/// A zip file of stored entries, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. It is
/// written from the front to the back, so that it may be a pipe.
final class ZipArchive {
  private static let version: UInt16 = 20
  /// Entries whose size follows their data.
  private static let sizeFollows: UInt16 = 1 << 3
  /// 1 January 1980, the first day of the format: the same table gives the same bytes.
  private static let date: UInt16 = 1 << 5 | 1
  private static let block = 1 << 18

  private let path: String
  private let file: FileHandle
  private var offset = 0
  private var directory: [UInt8] = []
  private var entryCount: UInt16 = 0

  /// Opens the file. The path is opened and not replaced, because it may be a device or a link.
  init(_ path: String) throws(CommandError) {
    self.path = path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw CommandError(systemErrorAt: path) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Adds an entry that consists of `prefix` and the next `count` bytes of a file.
  func add(
    _ name: String, prefix: [UInt8], file source: FileHandle, count: Int
  ) throws(CommandError) {
    let size = prefix.count + count
    guard offset + size < Int(UInt32.max) - (1 << 20) else {
      throw CommandError("\(path): the table is longer than 4 GiB; use a name that ends in .csv")
    }
    let start = UInt32(offset)
    var header: [UInt8] = []
    header.add(UInt32(0x0403_4b50), Self.version, Self.sizeFollows, UInt16(0), UInt16(0), Self.date)
    header.add(UInt32(0), UInt32(0), UInt32(0))
    header.add(UInt16(name.utf8.count), UInt16(0))
    try write(header + Array(name.utf8))
    var sum = Self.sum(of: prefix, after: 0)
    try write(prefix)
    var missing = count
    while missing > 0 {
      guard let part = try? source.read(upToCount: min(missing, Self.block)), !part.isEmpty else {
        throw CommandError("\(path): a temporary file of the table cannot be read")
      }
      let bytes = [UInt8](part)
      sum = Self.sum(of: bytes, after: sum)
      try write(bytes)
      missing -= bytes.count
    }
    var descriptor: [UInt8] = []
    descriptor.add(UInt32(0x0807_4b50), sum, UInt32(size), UInt32(size))
    try write(descriptor)
    directory.add(UInt32(0x0201_4b50), Self.version, Self.version, Self.sizeFollows, UInt16(0))
    directory.add(UInt16(0), Self.date, sum, UInt32(size), UInt32(size))
    directory.add(UInt16(name.utf8.count), UInt16(0), UInt16(0), UInt16(0), UInt16(0))
    directory.add(UInt32(0), start)
    directory += Array(name.utf8)
    entryCount += 1
  }

  /// Writes the directory of the entries.
  func finish() throws(CommandError) {
    let start = UInt32(offset)
    var end: [UInt8] = []
    end.add(UInt32(0x0605_4b50), UInt16(0), UInt16(0), entryCount, entryCount)
    end.add(UInt32(directory.count), start, UInt16(0))
    try write(directory + end)
  }

  private func write(_ bytes: [UInt8]) throws(CommandError) {
    do { try file.write(contentsOf: bytes) } catch {
      throw CommandError("\(path): cannot be written")
    }
    offset += bytes.count
  }

  /// Returns the checksum of `bytes` after others with the checksum `before`.
  private static func sum(of bytes: [UInt8], after before: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32(uLong(before), bytes, uInt(bytes.count)))
  }
}

extension [UInt8] {
  /// Appends numbers, the lowest byte first.
  fileprivate mutating func add<each Number: FixedWidthInteger>(_ numbers: repeat each Number) {
    repeat append(littleEndian: each numbers)
  }

  private mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
