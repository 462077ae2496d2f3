internal import Foundation

/// The framing of an Ogg file, https://www.rfc-editor.org/rfc/rfc3533.
struct OggFile {
  private static let headerSize = 27
  /// The maximum size of a page in bytes.
  private static let longestPage = 65_307
  private static let beginOfStream: UInt8 = 2
  private static let endOfStream: UInt8 = 4
  /// The maximum number of links that are read.
  private static let mostLinks = 10_000

  private let file: FileHandle
  private let size: UInt64

  /// Returns nil for a file that cannot be read at any place, such as a pipe.
  init?(path: String) {
    guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd() else {
      return nil
    }
    (self.file, self.size) = (file, size)
  }

  /// Whether the last page is not marked as the end of the stream.
  var isTruncated: Bool {
    guard let tail = bytes(at: size - min(size, UInt64(Self.longestPage)), count: Self.longestPage),
      let page = tail.range(of: Data("OggS".utf8), options: .backwards)
    else { return true }
    // The first byte after "OggS" is the version. The second byte contains the flags.
    let flags = page.upperBound + 1
    return flags >= tail.endIndex || tail[flags] & Self.endOfStream == 0
  }

  /// The places of the links in a chained file: streams that follow one another. A file that is not
  /// chained has one link. Nil for a file with too many. The reading of pages ends at the first
  /// byte that does not begin a page.
  var links: [Range<Int64>]? {
    var starts: [UInt64] = []
    var place: UInt64 = 0
    var wasFirst = false
    while let header = bytes(at: place, count: Self.headerSize), header.count == Self.headerSize,
      header.prefix(4) == Data("OggS".utf8),
      let lacing = bytes(at: place + UInt64(Self.headerSize), count: Int(header[26]))
    {
      let isFirst = header[5] & Self.beginOfStream != 0
      if starts.isEmpty || isFirst && !wasFirst { starts.append(place) }
      guard starts.count <= Self.mostLinks else { return nil }
      wasFirst = isFirst
      place += UInt64(Self.headerSize + lacing.count + lacing.reduce(0) { $0 + Int($1) })
    }
    guard !starts.isEmpty else { return [0..<Int64(size)] }
    return zip(starts, starts.dropFirst() + [size]).map { Int64($0)..<Int64(max($0, $1)) }
  }

  /// Returns the bytes at a place, fewer at the end of the file, with indexes from 0.
  private func bytes(at place: UInt64, count: Int) -> Data? {
    guard (try? file.seek(toOffset: place)) != nil, let data = try? file.read(upToCount: count)
    else { return count == 0 ? Data() : nil }
    return data
  }
}
